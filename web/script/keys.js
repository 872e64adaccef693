
// Keys. They are off in fields, in dialogs, with a modifier, and for who has switched them off (WCAG 2.1.4).
const rows = findAll("[data-row]");
let here = -1, anchor = -1, goes = false;
const boxOf = row => row && find("input[type=checkbox]", row);
const linkOf = row => row && find("a.title", row);

function moveTo(n) {
	if (!rows.length) return;
	rows[here]?.classList.remove("here");
	here = Math.max(0, Math.min(rows.length - 1, n));
	rows[here].classList.add("here");
	linkOf(rows[here])?.focus();
	rows[here].scrollIntoView({ block: "nearest" });
}

function selectRow(isRange) {
	if (here < 0) moveTo(0);
	const box = boxOf(rows[here]);
	if (!box) return;
	box.checked = !box.checked;
	if (isRange && anchor >= 0) {
		for (let i = Math.min(anchor, here); i <= Math.max(anchor, here); i++) boxOf(rows[i]).checked = box.checked;
	}
	anchor = here;
}

// press acts on the selected rows, or on the one where the reader is.
function press(key) {
	const button = find(`[data-key="${CSS.escape(key)}"]`);
	if (!button) return false;
	if (button.closest(".bulk") && !find("[data-row] :checked")) {
		if (here < 0) return false;
		boxOf(rows[here]).checked = true;
	}
	if (button.matches("input, textarea, select")) button.focus();
	else button.click();
	return true;
}

const listKey = "errand-list";
if (rows.length) sessionStorage.setItem(listKey, JSON.stringify(rows.map(row => linkOf(row)?.pathname)));

function openNeighbour(step) {
	const list = JSON.parse(sessionStorage.getItem(listKey) || "[]");
	const next = list[list.indexOf(location.pathname) + step];
	if (list.includes(location.pathname) && next) location.href = next;
}

const acts = {
	j: () => moveTo(here + 1),
	k: () => moveTo(here - 1),
	o: () => linkOf(rows[here])?.click(),
	x: () => selectRow(false),
	X: () => selectRow(true),
	"/": () => (find("[data-search]") ?? find("[type=search]"))?.focus(),
	"?": () => find('[data-dialog="keys"]')?.showModal(),
	"[": () => openNeighbour(-1),
	"]": () => openNeighbour(1),
	g: () => { goes = true; setTimeout(() => { goes = false; }, 1500); },
	Escape: () => {
		for (const box of findAll("[data-row] :checked")) box.checked = false;
		document.activeElement?.blur();
	},
	y: () => {
		const address = rows[here]?.dataset.brief;
		if (!address) return press("y");
		fetch(address).then(answer => answer.ok ? answer.text() : Promise.reject()).then(copyText)
			.then(() => announce("The brief is copied"), () => announce("The brief could not be copied"));
	},
};

const opened = ":is(dialog[open], :popover-open)";
const isField = at => at.matches?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

document.addEventListener("keydown", event => {
	if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || find(opened)) return;
	if (isField(event.target)) {
		if (event.key === "Escape") event.target.blur();
		return;
	}
	if (root.dataset.keys === "off" && event.key !== "Escape") return;
	if (goes) {
		goes = false;
		find(`[data-go="${CSS.escape(event.key)}"]`)?.click();
		event.preventDefault();
		return;
	}
	if (Object.hasOwn(acts, event.key)) acts[event.key]();
	else if (event.key.length > 1 || !press(event.key)) return;
	event.preventDefault();
});

// The row of the focus is where the reader is; a click with Shift selects all rows between.
document.addEventListener("focusin", event => {
	const n = rows.indexOf(event.target.closest("[data-row]"));
	if (n >= 0 && n !== here) {
		rows[here]?.classList.remove("here");
		here = n;
		rows[here].classList.add("here");
	}
});
document.addEventListener("click", event => {
	const row = event.target.closest("[data-row]");
	if (!row || event.target !== boxOf(row)) return;
	const n = rows.indexOf(row);
	if (event.shiftKey && anchor >= 0) {
		for (let i = Math.min(anchor, n); i <= Math.max(anchor, n); i++) boxOf(rows[i]).checked = event.target.checked;
	}
	anchor = n;
});
