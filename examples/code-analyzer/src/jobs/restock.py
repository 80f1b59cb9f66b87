"""Orders whatever is below its minimum."""

import urllib.request

from inventory import adjust, connect
from report import low_items


def order(name, amount):
    url = "http://supplier.example/order?item=" + name + "&n=" + str(amount)
    urllib.request.urlopen(url)


def restock():
    conn = connect()
    for name, level in low_items(conn):
        order(name, 10 - level)
