// Loaded before a child's own code (`node --import`, which its own children inherit): ends it in good order once
// the supervisor is gone without having said goodbye.
import { errorCode } from "./start-error.ts";

const supervisor = Number(process.env.POSTHORN_SUPERVISOR_PID);
const isDirectChild = process.ppid === supervisor;
const graceSeconds = 25;

const timer = setInterval(() => {
  if (!isGone()) return;
  clearInterval(timer);
  setTimeout(() => process.exit(1), graceSeconds * 1000).unref();
  process.kill(process.pid, "SIGTERM");
  // `node --watch` loads this into what it runs, not into itself, and would wait for changes for ever.
  if (process.env.WATCH_REPORT_DEPENDENCIES) process.kill(process.ppid, "SIGTERM");
}, 1000);
timer.unref();

/** A dead parent is replaced at once, even while nobody has collected it; a dead grandparent shows only then. */
function isGone(): boolean {
  if (isDirectChild) return process.ppid !== supervisor;
  try {
    process.kill(supervisor, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}
