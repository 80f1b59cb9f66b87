def add(item, basket=[]):
    basket.append(item)
    return basket


def total(basket):
    sum = 0
    for item in basket:
        sum = sum + item["price"]
    return sum
