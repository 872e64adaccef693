// Consents like a person at the browser: reads the page, allows what the client asks for, and follows the redirect to the client.
export async function consent(page) {
	const shown = await fetch(page);
	const html = await shown.text();
	if (!shown.ok) throw new Error(`the page: ${shown.status} ${html}`);
	const form = new URLSearchParams({ decision: 'allow', credential: process.env.ADMIN_TOKEN });
	for (const [, scope] of html.matchAll(/name="scope" value="([^"]+)"/g)) form.append('scope', scope);
	const answer = await fetch(page, { method: 'POST', body: form, redirect: 'manual' });
	const back = answer.headers.get('location');
	if (!back) throw new Error(`the answer: ${answer.status} ${await answer.text()}`);
	return back;
}

if (process.argv[1].endsWith('consent.mjs')) {
	const callback = await fetch(await consent(process.argv[2]));
	if (!callback.ok) throw new Error(`the client's callback: ${callback.status}`);
}
