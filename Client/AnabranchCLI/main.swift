print("anabranch")
