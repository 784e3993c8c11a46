import { classNames } from "#components/ui/class-names.ts";
import type { TracePiece } from "#lib/delivery/template/render.ts";

type TracedTextProps = {
  pieces: readonly TracePiece[];
  what: string;
  /** The macro that is looked at, here or in the table. */
  active: string | null;
  onActive: (macro: string | null) => void;
};

/** Past so many pieces nobody looks for one by hand; the table goes on naming them. */
const maxPieces = 2_000;

/** What is sent, character by character; each value says on hover and on focus which macro it comes from. */
export function TracedText({ pieces, what, active, onActive }: TracedTextProps) {
  const shown =
    pieces.length > maxPieces ? [{ text: pieces.map(({ text }) => text).join(""), from: null }] : pieces;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <span role="group" aria-label={what} className="break-all whitespace-pre-wrap">
      {withPlaces(shown).map(({ text, from, at }) =>
        from === null ? (
          text
        ) : (
          <button
            key={at}
            type="button"
            aria-label={`${from.macro}: ${text === "" ? "empty" : text}`}
            title={`${from.macro}${text === "" ? ", empty" : ""}`}
            onMouseEnter={() => onActive(from.macro)}
            onMouseLeave={() => onActive(null)}
            onFocus={() => onActive(from.macro)}
            onBlur={() => onActive(null)}
            className={classNames(
              "inline cursor-help rounded-sm text-left break-all whitespace-pre-wrap focus-visible:outline-offset-0",
              text === ""
                ? "mx-px inline-block h-3.5 w-1.5 bg-warn align-text-bottom"
                : "bg-info-tint text-info",
              active === from.macro && "outline-2 outline-info",
            )}
          >
            {text}
          </button>
        ),
      )}
    </span>
  );
}

/** The pieces stand for their places: two may read alike. */
function withPlaces(pieces: readonly TracePiece[]): (TracePiece & { at: number })[] {
  return pieces.map((piece, at) => ({ ...piece, at }));
}
