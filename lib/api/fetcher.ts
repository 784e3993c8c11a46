/** What went wrong with a call to the console's routes, in words that a page can show. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when no answer came at all. */
  readonly status: number;
  /** The problem's stable code; empty when no problem document came. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly fieldErrors: { field: string; message: string }[];
  readonly requestId: string | null;

  constructor(problem: {
    status: number;
    code?: string;
    title: string;
    detail?: string;
    fieldErrors?: { field: string; message: string }[];
    requestId?: string | null;
  }) {
    super(problem.detail || problem.title);
    this.status = problem.status;
    this.code = problem.code ?? "";
    this.title = problem.title;
    this.detail = problem.detail ?? "";
    this.fieldErrors = problem.fieldErrors ?? [];
    this.requestId = problem.requestId ?? null;
  }
}

/** What happened, for people; the request's id is for whoever looks into the logs. */
export function errorWords(error: Error, { withRequest = false } = {}): string {
  if (!(error instanceof ApiError)) return "An unexpected fault in this page.";
  const words = error.detail ? `${error.title}. ${error.detail}` : error.title;
  return withRequest && error.requestId ? `${words} (request ${error.requestId})` : words;
}

const timeoutMs = 20_000;

export type QueryValues = Record<string, string | number | boolean | null | undefined>;

/** The path with its query; null, undefined and empty values are left out. */
export function withQuery(path: string, query: QueryValues): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

type CallOptions = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: QueryValues;
  body?: unknown;
  signal?: AbortSignal;
};

/** Calls a console route and returns its JSON. Throws ApiError for every failure, also for no answer in 20 s. */
export async function callApi<T>(
  path: string,
  { method = "GET", query, body, signal }: CallOptions = {},
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(query ? withQuery(path, query) : path, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError({
      status: 0,
      title: timeout.aborted ? "Posthorn did not answer in time" : "Posthorn cannot be reached",
      detail: timeout.aborted
        ? `There was no answer within ${timeoutMs / 1_000} seconds.`
        : "The connection failed. Check that it is running, then try again.",
    });
  }
  if (!response.ok) throw await readProblem(response);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError({
      status: response.status,
      title: "The answer could not be read",
      requestId: response.headers.get("x-request-id"),
    });
  }
}

/** Reads problem+json (RFC 9457) without trusting it to be any. */
async function readProblem(response: Response): Promise<ApiError> {
  let problem: Record<string, unknown> = {};
  try {
    const parsed: unknown = await response.json();
    if (typeof parsed === "object" && parsed !== null) problem = parsed as Record<string, unknown>;
  } catch {
    // No problem document: the status alone has to do.
  }
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const fieldErrors = Array.isArray(problem.errors)
    ? problem.errors.flatMap((entry: { field?: unknown; message?: unknown }) =>
        typeof entry?.field === "string" && typeof entry.message === "string"
          ? [{ field: entry.field, message: entry.message }]
          : [],
      )
    : [];
  return new ApiError({
    status: response.status,
    code: text(problem.code) ?? "",
    title: text(problem.title) ?? `The server answered with status ${response.status}`,
    detail: text(problem.detail) ?? "",
    fieldErrors,
    requestId: text(problem.request_id) ?? response.headers.get("x-request-id"),
  });
}
