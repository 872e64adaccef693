// Signs in with an SDK for TypeScript, and prints the name of the token that it got.
import { consent } from './consent.mjs';

export async function signIn(name, Client, Transport) {
	const url = new URL(process.argv[2]);
	const redirect = 'http://127.0.0.1:7777/callback';
	let code, iss, information, tokens, verifier;
	const authProvider = {
		redirectUrl: redirect,
		clientMetadata: { client_name: name, redirect_uris: [redirect], grant_types: ['authorization_code', 'refresh_token'] },
		clientInformation: () => information,
		saveClientInformation: (given) => { information = given; },
		tokens: () => tokens,
		saveTokens: (given) => { tokens = given; },
		codeVerifier: () => verifier,
		saveCodeVerifier: (given) => { verifier = given; },
		async redirectToAuthorization(page) {
			const back = new URL(await consent(page)).searchParams;
			[code, iss] = [back.get('code'), back.get('iss')];
		},
	};
	const transport = new Transport(url, { authProvider });
	await new Client({ name: 'e2e', version: '1' }).connect(transport).then(
		() => { throw new Error('it was let in without a token'); },
		(error) => { if (!code) throw error; },
	);
	await transport.finishAuth(code, iss);
	const client = new Client({ name: 'e2e', version: '1' });
	await client.connect(new Transport(url, { authProvider }));
	const answer = await client.callTool({ name: 'whoami', arguments: {} });
	console.log(answer.structuredContent.data.name);
	process.exit(0);
}
