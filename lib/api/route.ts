import { v7 as uuidV7 } from "uuid";
import { z } from "zod";
import { type Actor, type CallOrigin, callOrigin } from "#lib/auth/actor.ts";
import { authenticate } from "#lib/auth/api-keys.ts";
import { refuseForeignRequest } from "#lib/auth/browser-guard.ts";
import { authorize, type Verb } from "#lib/auth/permissions.ts";
import { requireSession, type SessionActor } from "#lib/auth/session.ts";
import { type FieldError, Problem, problemBody } from "#lib/errors.ts";
import { createLogger, type Logger } from "#lib/log.ts";
import { textStream } from "./csv.ts";
import { databaseProblem } from "./database-errors.ts";
import { invalidInput, parseInput } from "./issues.ts";
import { parseJsonBody, readBody } from "./read-body.ts";

const defaultMaxBodyBytes = 65_536;
const retryAfterSeconds = 2;

/** What a handler knows of its caller, by the route's `auth`. */
type Caller = {
  api_key: { actor: Actor };
  session: { actor: SessionActor };
  visitor: { from: CallOrigin };
};

type Input<A extends keyof Caller, P, Q, B> = Caller[A] & {
  params: P;
  query: Q;
  body: B;
  /** Of the request, for what looks for more in it than the session. */
  cookie: string | null;
  /** Sends a Set-Cookie header with the answer. */
  setCookies: (cookies: readonly string[]) => void;
};

/**
 * `api_key` for the public API, `session` for what the pages call, each with the verb that their caller must be allowed
 * (services judge it once more, with the record); null for what anybody does with their own account. `visitor` for
 * pages before sign-in.
 */
type Access<A extends keyof Caller> = { auth: A } & (A extends "visitor"
  ? { may?: never }
  : { may: Verb | null });

type RouteOptions<A extends keyof Caller, P, Q, B> = Access<A> & {
  /** A path that does not fit is a 404. */
  params?: z.ZodType<P>;
  query?: z.ZodObject & z.ZodType<Q>;
  /** A schema for JSON, or a parser of the bytes themselves. */
  body?: z.ZodType<B> | ((bytes: Buffer) => B);
  /** One that may be left out, and is `{}` then. */
  optionalBody?: z.ZodType<B>;
  maxBodyBytes?: number;
  /** 200 unless given; 204 when the handler returns undefined. */
  status?: number;
  /** The handler gives the path of this console that the browser is led on to. */
  redirects?: true;
  /** The handler gives the text of a CSV file of this name, in pieces. */
  csvName?: string;
  handler: (input: Input<A, P, Q, B>) => Promise<unknown>;
};

export type RouteContext = { params: Promise<Record<string, string>> };

/**
 * The one shape of every route: who asks, then path, query and body by their schemas, then the service's verb.
 * Answers JSON, or problem+json (RFC 9457) for whatever is thrown; always with x-request-id and never cached.
 */
export function route<A extends keyof Caller, P = undefined, Q = undefined, B = undefined>(
  options: RouteOptions<A, P, Q, B>,
) {
  return async (request: Request, context: RouteContext): Promise<Response> => {
    const requestId = uuidV7();
    const cookies: string[] = [];
    try {
      const caller = await identify(request, options);
      const params = options.params ? parsePath(options.params, await context.params) : undefined;
      const query = options.query ? parseQuery(options.query, new URL(request.url).searchParams) : undefined;
      const body = await parseBody(request, options);
      const result = await options.handler({
        ...(caller as Caller[A]),
        params: params as P,
        query: query as Q,
        body: body as B,
        cookie: request.headers.get("cookie"),
        setCookies: (given) => {
          cookies.push(...given);
        },
      });
      if (options.csvName) return csvFile(requestId, options.csvName, result as AsyncIterable<string>);
      const status = result === undefined ? 204 : (options.status ?? 200);
      const response = options.redirects
        ? answer(requestId, 303, undefined, { location: String(result) })
        : answer(requestId, status, result);
      for (const cookie of cookies) response.headers.append("set-cookie", cookie);
      return response;
    } catch (error) {
      return problemResponse(error, request, requestId);
    }
  };
}

/** The answer for a path under /api that nothing serves. */
export function unknownRoute(request: Request): Response {
  return problemResponse(new Problem("not_found", "Nothing is served under this path"), request, uuidV7());
}

async function identify(
  request: Request,
  { auth, may }: { auth: keyof Caller; may?: Verb | null },
): Promise<{ actor: Actor } | { from: CallOrigin }> {
  if (auth !== "api_key") await refuseForeignRequest(request);
  if (auth === "visitor") return { from: callOrigin(request.headers) };
  const actor =
    auth === "session" ? await requireSession(request.headers) : await authenticate(request.headers);
  if (may) authorize(actor, may);
  return { actor };
}

function parsePath<P>(schema: z.ZodType<P>, params: Record<string, string>): P {
  const result = schema.safeParse(params);
  if (!result.success) throw new Problem("not_found", "Nothing can have an id like the one in this path");
  return result.data;
}

function parseQuery<Q>(schema: z.ZodObject & z.ZodType<Q>, search: URLSearchParams): Q {
  const names = [...search.keys()];
  // A loose schema is for what others decide, such as an identity provider.
  const isLoose = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  const errors: FieldError[] = names.flatMap((name, place) => {
    if (!isLoose && !Object.hasOwn(schema.shape, name))
      return [{ field: name, message: "is not a known parameter" }];
    return names.indexOf(name) < place ? [{ field: name, message: "is given more than once" }] : [];
  });
  if (errors.length > 0) throw invalidInput(errors);
  return parseInput<Q>(schema, Object.fromEntries(search), "query");
}

async function parseBody<B>(
  request: Request,
  options: Pick<RouteOptions<keyof Caller, unknown, unknown, B>, "body" | "optionalBody" | "maxBodyBytes">,
): Promise<B | undefined> {
  const { body, optionalBody, maxBodyBytes: maxBytes = defaultMaxBodyBytes } = options;
  if (optionalBody) {
    const bytes = await readBody(request, { maxBytes, mayBeEmpty: true });
    return parseInput(optionalBody, bytes.length === 0 ? {} : parseJsonBody(bytes), "body");
  }
  if (!body) return undefined;
  const bytes = await readBody(request, { maxBytes });
  return typeof body === "function" ? body(bytes) : parseInput(body, parseJsonBody(bytes), "body");
}

function csvFile(requestId: string, name: string, text: AsyncIterable<string>): Response {
  return answer(requestId, 200, textStream(text), {
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": `attachment; filename="${name}"`,
  });
}

function answer(
  requestId: string,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  const content = body instanceof ReadableStream ? body : JSON.stringify(body);
  return new Response(body === undefined ? null : content, {
    status,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      ...headers,
    },
  });
}

function problemResponse(error: unknown, request: Request, requestId: string): Response {
  const problem = toProblem(error, request, requestId);
  const { status } = problem;
  return answer(
    requestId,
    status,
    { ...problemBody(problem), request_id: requestId },
    {
      "content-type": "application/problem+json",
      ...(status === 401 ? { "www-authenticate": 'Bearer realm="posthorn"' } : {}),
      ...(status === 503 || status === 429
        ? { "retry-after": String(problem.retryAfterSeconds ?? retryAfterSeconds) }
        : {}),
    },
  );
}

/** What is not a refusal of ours is logged, without the query, the body or a value of any statement. */
function toProblem(error: unknown, request: Request, requestId: string): Problem {
  if (error instanceof Problem) return error;
  const unavailable = databaseProblem(error);
  const facts = {
    request_id: requestId,
    method: request.method,
    path: new URL(request.url).pathname,
    error,
  };
  if (unavailable) log().warn(facts, "database unavailable");
  else log().error(facts, "request failed");
  return unavailable ?? new Problem("internal_error", "The fault has been logged under this request's id");
}

let logger: Logger | undefined;

function log(): Logger {
  logger ??= createLogger("web");
  return logger;
}
