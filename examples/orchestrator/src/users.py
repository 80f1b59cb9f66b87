import os


def find(users, name):
    for user in users:
        if user.get("name") == None:
            continue
        if user["name"] == name:
            return user
    return None
