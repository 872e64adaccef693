"""An application with the client of another tracker: python tracker.py URL KEY."""

import sys

import checkend


class CartError(Exception):
    pass


def load_cart(number):
    raise CartError(f"cart {number} cannot be loaded")


checkend.configure(endpoint=sys.argv[1], api_key=sys.argv[2], environment="staging", enabled=True, async_send=False)
for number in (1001, 1002):
    try:
        load_cart(number)
    except CartError as error:
        answer = checkend.notify_sync(
            error,
            context={"cart": number},
            user={"id": "u-17", "email": "ann@example.com"},
            request={"url": "https://shop.example/cart?step=2", "method": "POST"},
            tags=["checkout"],
        )
        print(answer["problem_id"], answer.get("id"), answer["deduplicated"], answer["occurrence_count"])
checkend.configure(endpoint=sys.argv[1], api_key=sys.argv[2], environment="staging", enabled=True)
try:
    {}["sku"]
except KeyError as error:
    checkend.notify(error, fingerprint="no sku")
checkend.flush()
checkend.stop()
