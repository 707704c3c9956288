// The room Anabranch.
