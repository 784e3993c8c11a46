import { type Ref, useId, useImperativeHandle, useRef, useState } from "react";
import { Field } from "#components/ui/field.tsx";
import type { TextKind } from "#lib/delivery/template/types.ts";
import { CompletionList } from "./completion-list.tsx";
import { FindingList } from "./finding-list.tsx";
import type { PartFindings } from "./findings.ts";
import { HighlightedTextarea } from "./highlighted-textarea.tsx";
import { MacroPicker } from "./macro-picker.tsx";
import type { MacroOption } from "./macros.ts";
import { type Replacement, replaceText } from "./replace-text.ts";
import { optionId, useCompletion } from "./use-completion.ts";

/** A text of the form around it. */
export type TemplateControl = {
  value: string;
  onChange: (text: string) => void;
  onBlur: () => void;
  ref: Ref<HTMLTextAreaElement>;
  error: string | undefined;
};

type TemplateFieldProps = {
  label: string;
  hint: string;
  control: TemplateControl;
  kind: TextKind;
  macros: readonly MacroOption[];
  found: PartFindings;
  /** Keeps a literal as a secret of the endpoint. */
  onSecret: (name: string, value: string) => void;
};

/** One template text: highlighted, completed while it is typed, and with what is wrong in it below. */
export function TemplateField({ label, hint, control, kind, macros, found, onSecret }: TemplateFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const findingsId = useId();
  const completion = useCompletion({ field, macros, kind });
  // Where the caret was when the field was left, so that a macro is put there.
  const [caret, setCaret] = useState<number | null>(null);
  useImperativeHandle(control.ref, () => field.current as HTMLTextAreaElement);
  const apply = (replacement: Replacement) => {
    completion.close();
    if (field.current) replaceText(field.current, replacement);
  };
  const insert = (name: string) =>
    apply({
      at: Math.min(caret ?? control.value.length, control.value.length),
      length: 0,
      text: `{${name}}`,
    });
  const hasFindings = control.value !== "" && (found.findings.length > 0 || found.translation !== null);
  return (
    <div className="flex flex-col gap-2">
      <Field label={label} hint={hint} error={control.error}>
        {(ids) => (
          <div className="relative">
            <HighlightedTextarea
              {...ids}
              aria-describedby={[ids["aria-describedby"], hasFindings ? findingsId : null]
                .filter(Boolean)
                .join(" ")}
              aria-autocomplete="list"
              aria-controls={completion.completion ? completion.listId : undefined}
              aria-activedescendant={
                completion.completion ? optionId(completion.listId, completion.place) : undefined
              }
              ref={field}
              value={control.value}
              kind={kind}
              marks={found.marks}
              rows={kind === "url" ? 2 : 4}
              placeholder={kind === "url" ? "https://" : undefined}
              onChange={({ target }) => {
                control.onChange(kind === "url" ? oneLine(target.value) : target.value);
                completion.look(target);
              }}
              onKeyDown={(event) => {
                completion.onKeyDown(event);
                // A URL is one line; here as elsewhere Enter sends the form.
                if (kind !== "url" || event.key !== "Enter" || event.defaultPrevented) return;
                event.preventDefault();
                if (!event.nativeEvent.isComposing) event.currentTarget.form?.requestSubmit();
              }}
              onClick={completion.close}
              onBlur={({ currentTarget }) => {
                setCaret(currentTarget.selectionStart);
                completion.close();
                control.onBlur();
              }}
            />
            <CompletionList {...completion} />
          </div>
        )}
      </Field>
      <FindingList
        id={findingsId}
        what={label}
        text={control.value}
        found={found}
        onApply={apply}
        onSecret={onSecret}
      />
      <MacroPicker what={label} macros={macros} onPick={insert} />
    </div>
  );
}

/** What is pasted may bring line breaks along; they are no part of a URL. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, "").trimStart();
}
