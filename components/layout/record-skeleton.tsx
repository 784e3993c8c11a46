/** The shape of one record's page while it is read. */
export function RecordSkeleton() {
  return (
    <div role="status" className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <span className="sr-only">Loading</span>
      {[48, 56, 64].map((height) => (
        <div aria-hidden key={height} className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <span className="skeleton h-3 w-1/4" />
          <span className="skeleton w-full" style={{ height: height * 2 }} />
        </div>
      ))}
    </div>
  );
}
