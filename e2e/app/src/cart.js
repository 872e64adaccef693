// The cart of a customer. Its methods stay separate functions in a bundle.
export class Cart {
	constructor(items) {
		this.items = items;
	}

	countTotal() {
		return this.items.reduce((total, item) => total + this.findPrice(item), 0);
	}

	findPrice(item) {
		return item.price.amount;
	}
}
