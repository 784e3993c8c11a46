// Loaded before a command (`node --import`): takes settings from `.env`, where there is one. What the environment
// sets already stays.
import { existsSync } from "node:fs";

if (existsSync(".env")) process.loadEnvFile(".env");
