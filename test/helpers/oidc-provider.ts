import {
  createHash,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Who the provider says that somebody is; what is given over what would be right. */
export type Claims = { sub: string; email: string; email_verified: boolean } & Record<string, unknown>;

export type OidcProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who comes by browser from now on is this one, and is led back at once. */
  isAtBrowser: (claims: Claims) => void;
  /** Somebody proves at the provider who they are; the query that their browser comes back with. */
  signIn: (authorizationUrl: string, claims: Claims) => Record<string, string>;
  close: () => Promise<void>;
};

type Code = { claims: Claims; challenge: string; nonce: string; redirectUri: string };

/** A small OpenID Connect provider on loopback: discovery, codes with PKCE (S256), and ID tokens signed with RS256. */
export async function startOidcProvider({
  port = 0,
  clientSecret = randomBytes(16).toString("hex"),
  privateKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey,
}: {
  port?: number;
  clientSecret?: string;
  /** RSA; signs what it says. */
  privateKey?: KeyObject;
} = {}): Promise<OidcProvider> {
  const clientId = "posthorn";
  const publicKey = createPublicKey(privateKey);
  const codes = new Map<string, Code>();
  let issuer = "";
  let atBrowser: Claims | null = null;
  const idToken = ({ claims, nonce }: Code): string => {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...claims };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "RS256", kid: "1" })}.${part(payload)}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
  };
  const exchange = async (request: IncomingMessage): Promise<[number, object]> => {
    const form = new URLSearchParams(await text(request));
    const basic = Buffer.from(
      request.headers.authorization?.replace(/^Basic /, "") ?? "",
      "base64",
    ).toString();
    const isClient = basic === `${clientId}:${clientSecret}` || form.get("client_secret") === clientSecret;
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!isClient || code?.challenge !== challenge || form.get("redirect_uri") !== code.redirectUri)
      return [400, { error: "invalid_grant" }];
    return [200, { access_token: "x", token_type: "Bearer", expires_in: 300, id_token: idToken(code) }];
  };
  const signIn = (authorizationUrl: string, claims: Claims): Record<string, string> => {
    const { searchParams } = new URL(authorizationUrl);
    const asked = (name: string) => searchParams.get(name) ?? "";
    const code = randomBytes(16).toString("hex");
    codes.set(code, {
      claims,
      challenge: asked("code_challenge"),
      nonce: asked("nonce"),
      redirectUri: asked("redirect_uri"),
    });
    return { code, state: asked("state"), session_state: "something of the provider's" };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const known: Record<string, () => Promise<[number, object]> | [number, object]> = {
      "/.well-known/openid-configuration": () => [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ["RS256"],
        },
      ],
      "/jwks": () => [200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256" }] }],
      "/token": () => exchange(request),
    };
    const url = `${issuer}${request.url ?? ""}`;
    if (atBrowser && request.url?.startsWith("/authorize?")) {
      const back = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams(signIn(url, atBrowser)).toString();
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const [status, body] = (await known[request.url ?? ""]?.()) ?? [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    clientId,
    clientSecret,
    isAtBrowser: (claims) => {
      atBrowser = claims;
    },
    signIn,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
