print("anabranchd")
