import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import type { TextKind } from "#lib/delivery/template/types.ts";
import { type Completion, completedText, completionAt } from "./completion.ts";
import type { MacroOption } from "./macros.ts";
import { replaceText } from "./replace-text.ts";

type CompletionOptions = {
  field: RefObject<HTMLTextAreaElement | null>;
  macros: readonly MacroOption[];
  kind: TextKind;
};

/** Offers macros while one is being typed. The field keeps the focus, and names the option that Enter would take. */
export function useCompletion({ field, macros, kind }: CompletionOptions) {
  const listId = useId();
  const [completion, setCompletion] = useState<Completion | null>(null);
  const [place, setPlace] = useState(0);
  const close = () => setCompletion(null);

  const look = (target: HTMLTextAreaElement) => {
    const { value, selectionStart, selectionEnd } = target;
    setCompletion(
      selectionStart === selectionEnd ? completionAt(value, selectionStart, { macros, kind }) : null,
    );
    setPlace(0);
  };
  const take = ({ name }: MacroOption) => {
    if (!field.current || !completion) return;
    const { at, length } = completion;
    replaceText(field.current, { at, length, text: completedText(field.current.value, completion, name) });
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!completion || event.nativeEvent.isComposing) return;
    const { options } = completion;
    const chosen = options[place];
    if (event.key === "ArrowDown") setPlace((place + 1) % options.length);
    else if (event.key === "ArrowUp") setPlace((place + options.length - 1) % options.length);
    else if (event.key === "Enter" && chosen) take(chosen);
    else if (event.key === "Escape") close();
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return { listId, completion, place, look, take, close, onKeyDown };
}

export type CompletionState = ReturnType<typeof useCompletion>;

export function optionId(listId: string, place: number): string {
  return `${listId}-${place}`;
}
