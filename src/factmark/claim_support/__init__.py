"""Is a claim supported by its evidence?"""
