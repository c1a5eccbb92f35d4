// azd runs this after it has deployed the app.
import { createHookDeps, runHook } from './hookDeps.ts'
import { runPostdeploy } from './runPostdeploy.ts'

process.exitCode = await runHook(runPostdeploy, createHookDeps(process.env))
