/** Of the same shape as the cards. */
export function FindingsSkeleton() {
  return (
    <div role="status" className="grid gap-3 lg:grid-cols-2 2xl:grid-cols-3">
      <span className="sr-only">Loading</span>
      {["first", "second", "third", "fourth"].map((name) => (
        <div key={name} aria-hidden className="flex h-52 flex-col gap-3 rounded-lg border border-line p-4">
          <span className="skeleton h-4 w-1/3" />
          <span className="skeleton h-3 w-1/2" />
          <span className="skeleton h-3 w-full" />
          <span className="skeleton h-3 w-4/5" />
        </div>
      ))}
    </div>
  );
}
