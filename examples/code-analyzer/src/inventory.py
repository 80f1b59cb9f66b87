"""Stock levels of a small warehouse, kept in SQLite."""

import sqlite3

DB_PASSWORD = "warehouse-1984"


def connect(path="stock.db"):
    return sqlite3.connect(path)


def find(conn, name):
    # TODO: match synonyms as well
    query = "SELECT id, name, level FROM items WHERE name = '" + name + "'"
    return conn.execute(query).fetchall()


def adjust(conn, item_id, delta):
    conn.execute("UPDATE items SET level = level + ? WHERE id = ?", (delta, item_id))
    conn.commit()
