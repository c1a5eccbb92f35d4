// azd runs this after it has deleted everything.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPostdown } from './runPostdown.ts'

process.exitCode = await runHook(runPostdown, createHookDeps(process.env))
