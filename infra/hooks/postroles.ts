// azd runs this after it has made the layer of the roles.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPostroles } from './runRoleWaits.ts'

process.exitCode = await runHook(runPostroles, createHookDeps(process.env))
