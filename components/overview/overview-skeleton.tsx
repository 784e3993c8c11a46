const groups = [
  { name: "now", tiles: ["a", "b", "c", "d", "e", "f"], columns: "xl:grid-cols-6" },
  { name: "hour", tiles: ["a", "b", "c", "d", "e"], columns: "xl:grid-cols-5" },
  { name: "endpoints", tiles: ["a", "b", "c", "d", "e"], columns: "xl:grid-cols-5" },
];

/** The shape of the overview while it is read. */
export function OverviewSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-6">
      <span className="sr-only">Loading</span>
      {groups.map(({ name, tiles, columns }) => (
        <div aria-hidden key={name} className={`grid grid-cols-2 gap-3 pt-7 md:grid-cols-3 ${columns}`}>
          {tiles.map((tile) => (
            <div key={tile} className="flex h-24 flex-col gap-3 rounded-lg border border-line px-4 py-3">
              <span className="skeleton h-3 w-1/2" />
              <span className="skeleton h-6 w-1/3" />
            </div>
          ))}
        </div>
      ))}
      <div aria-hidden className="skeleton h-56" />
    </div>
  );
}
