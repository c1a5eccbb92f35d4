// azd runs this before it deletes anything.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPredown } from './runPredown.ts'

process.exitCode = await runHook((deps) => runPredown(deps), createHookDeps(process.env))
