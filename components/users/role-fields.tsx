"use client";

import { AffiliateSelect } from "#components/filters/affiliate-select.tsx";
import { Field, Radio } from "#components/ui/field.tsx";
import { type Role, roleLabels, roleSentences, roles } from "#lib/vocabulary.ts";

type RoleFieldsProps = {
  role: Role;
  /** Its key. */
  affiliate: string | null;
  error?: string | undefined;
  onChange: (given: { role: Role; affiliate: string | null }) => void;
};

/** A role, and for the role affiliate whose user it is. */
export function RoleFields({ role, affiliate, error, onChange }: RoleFieldsProps) {
  return (
    <>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium text-sm">Role</legend>
        {roles.map((choice) => (
          <Radio
            key={choice}
            name="role"
            checked={role === choice}
            onChange={() => onChange({ role: choice, affiliate: choice === "affiliate" ? affiliate : null })}
            hint={roleSentences[choice]}
          >
            {roleLabels[choice]}
          </Radio>
        ))}
      </fieldset>
      {role === "affiliate" ? (
        <Field label="Affiliate" error={error}>
          {(ids) => (
            <AffiliateSelect
              {...ids}
              value={affiliate}
              onChange={(key) => onChange({ role, affiliate: key })}
            />
          )}
        </Field>
      ) : null}
    </>
  );
}
