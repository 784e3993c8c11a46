"use client";

import { useQuery } from "@tanstack/react-query";
import { useRefusal } from "#components/layout/reader.tsx";
import { fixedOptions, type Option, type OptionSource } from "#components/ui/option-picker.tsx";
import { apiKeyListOptions } from "#lib/api-keys/client.ts";
import { auditActionLabels, auditActions, auditObjectKinds, auditObjectLabels } from "#lib/audit/actions.ts";
import { truncateMiddle } from "#lib/format.ts";
import { type ActorKind, actorKindLabels, actorKinds } from "#lib/vocabulary.ts";

export const useActionOptions: OptionSource = fixedOptions(
  auditActions.map((action) => ({ value: action, label: auditActionLabels[action] })),
);

export const useObjectKindOptions: OptionSource = fixedOptions(
  auditObjectKinds.map((kind) => ({ value: kind, label: auditObjectLabels[kind] })),
);

const useKindOptions = fixedOptions(
  actorKinds.map((kind) => ({ value: kind, label: actorKindLabels[kind] })),
);

/** The kinds of actors and, for those who may read them, each API key by its name. */
export const useActorOptions: OptionSource = (text, open) => {
  const kinds = useKindOptions(text, open);
  const mayReadKeys = useRefusal("api_key.read") === null;
  const { data, error, isFetching } = useQuery({
    ...apiKeyListOptions(text ? { q: text } : {}),
    enabled: open && mayReadKeys,
  });
  const keys: Option[] = (data?.data ?? []).map(({ id, name, prefix }) => ({
    value: id,
    label: name,
    detail: `${prefix}…`,
  }));
  return { options: [...kinds.options, ...keys], loading: isFetching && !data, error };
};

/** The filter holds a kind or a key's id; people know the name. */
export function useActorLabel(actor: string | null): string {
  const isKind = actor !== null && Object.hasOwn(actorKindLabels, actor);
  const mayReadKeys = useRefusal("api_key.read") === null;
  const { data } = useQuery({
    ...apiKeyListOptions({ q: actor ?? "" }),
    enabled: mayReadKeys && actor !== null && !isKind,
  });
  if (isKind) return actorKindLabels[actor as ActorKind];
  return data?.data.find(({ id }) => id === actor)?.name ?? truncateMiddle(actor ?? "", 13);
}
