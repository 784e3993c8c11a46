import type { RouteContext } from "#lib/api/route.ts";

export type Handler = (request: Request, context: RouteContext) => Promise<Response>;
export type NamedHandler = {
  /** Such as "GET /endpoints/[id]". */
  name: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  handler: Handler;
};

/** Every handler of the route files that a glob found, under its method and its path below `root`. */
export function handlersOf(files: Record<string, Record<string, Handler>>, root: string): NamedHandler[] {
  return Object.entries(files).flatMap(([file, methods]) =>
    Object.entries(methods).map(([method, handler]) => ({
      name: `${method} ${file.replace(root, "").replace("/route.ts", "")}`,
      method: method as NamedHandler["method"],
      handler,
    })),
  );
}
