// azd runs this before it provisions a layer.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPreprovision } from './runPreprovision.ts'

process.exitCode = await runHook(runPreprovision, createHookDeps(process.env))
