"use client";

import { useEffect, useEffectEvent } from "react";

const question = "There are unsaved changes on this page. Leave without saving them?";

/** Asks before links, shortcuts, the back button and closing the tab throw away what was typed. */
export function useUnsavedChanges(dirty: boolean): void {
  const mayLeave = useEffectEvent(() => !dirty || window.confirm(question));
  useEffect(() => {
    if (!dirty) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      if (link.getAttribute("href")?.startsWith("#") || link.getAttribute("target") === "_blank") return;
      if (mayLeave()) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const onLeave = (event: Event) => {
      if (!mayLeave()) event.preventDefault();
    };
    // Only the back and forward buttons: every other way out has been asked above.
    const onNavigate = (event: NavigateEvent) => {
      if (event.navigationType === "traverse" && event.cancelable && !mayLeave()) event.preventDefault();
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    document.addEventListener("posthorn:leave", onLeave);
    window.navigation?.addEventListener("navigate", onNavigate);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
      document.removeEventListener("posthorn:leave", onLeave);
      window.navigation?.removeEventListener("navigate", onNavigate);
    };
  }, [dirty]);
}
