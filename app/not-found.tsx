import Link from "next/link";
import { connection } from "next/server";

export default async function NotFound() {
  // Rendered ahead, its scripts could not have the nonce of the request.
  await connection();
  return (
    <main className="mx-auto flex max-w-prose flex-col gap-3 px-6 py-24">
      <h1 className="font-semibold text-lg">There is no such page</h1>
      <p className="text-ink-2">The address is wrong, or what it named is gone.</p>
      <Link href="/" className="underline underline-offset-2">
        Go to the start page
      </Link>
    </main>
  );
}
