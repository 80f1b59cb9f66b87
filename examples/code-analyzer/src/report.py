"""Prints what is running low."""

from inventory import connect


def low_items(conn, threshold=5):
    rows = conn.execute("SELECT name, level FROM items WHERE level < ?", (threshold,))
    return list(rows)


def main():
    try:
        for name, level in low_items(connect()):
            print(f"{name}: {level}")
    except Exception:
        pass  # FIXME: say what went wrong


if __name__ == "__main__":
    main()
