// azd runs this before it deploys the code.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPredeploy } from './runRoleWaits.ts'

process.exitCode = await runHook(runPredeploy, createHookDeps(process.env))
