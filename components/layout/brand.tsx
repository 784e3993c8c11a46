/** A post horn: the coiled tube, its bell and its mouthpiece. */
export function Brand() {
  return (
    <span className="flex items-center gap-2 font-semibold text-base">
      <svg aria-hidden viewBox="0 0 24 24" className="size-6" fill="none">
        <rect width="24" height="24" rx="6" className="fill-accent" />
        <path
          d="M5 10.5h8.5a3.25 3.25 0 1 1-3.25 3.25c0-1.8 1.45-3.25 3.25-3.25L19 7.5v6l-2.3-1.2M5 9.25v2.5"
          className="stroke-accent-ink"
          strokeWidth="1.75"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Posthorn
    </span>
  );
}
