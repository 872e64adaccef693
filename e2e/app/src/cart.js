// The cart of a customer. Its methods stay functions of their own in what a bundler makes of it.
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
