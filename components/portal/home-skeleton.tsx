/** The shape of the endpoints' health while it is read. */
export function HomeSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-3">
      <span className="sr-only">Loading</span>
      {["a", "b", "c"].map((key) => (
        <div aria-hidden key={key} className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <span className="skeleton h-4 w-1/3" />
          <span className="skeleton h-3 w-2/3" />
        </div>
      ))}
    </div>
  );
}
