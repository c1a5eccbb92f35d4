import { type Access, type Environment, openAccess } from '../../cli/clusterAccess.ts'
import { type RunProgram, runProgram } from '../../cli/down/runProgram.ts'
import { faultLine } from '../../cli/faultLine.ts'
import { Fault } from '../../shared/model/problem.ts'

/** Everything outside of a hook that it uses. Each use of `access` and `run` is one call, and may be the last one before the machine dies. */
export type HookDeps = {
  /** The environment that azd gives to a hook: the values of its own environment, and the variables of its parent process. */
  readonly environment: Environment
  readonly access: Access
  readonly run: RunProgram
  readonly print: (line: string) => void
}

export function createHookDeps(environment: Environment): HookDeps {
  return { environment, access: openAccess(environment), run: runProgram, print: (line) => console.log(line) }
}

/** An expected failure of a hook. The message is for the person who ran azd and names the command that helps. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure'
}

/** Returns the message for an error that is no bug of Joiner. Undefined for a bug. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof HookFailure) return error.message
  return error instanceof Fault ? faultLine(error) : undefined
}

/** Runs a hook as azd does. Returns its exit code and prints the reason of a failure. */
export async function runHook(hook: (deps: HookDeps) => Promise<number>, deps: HookDeps): Promise<number> {
  try {
    return await hook(deps)
  } catch (error) {
    const said = reasonOf(error)
    if (said === undefined) throw error
    deps.print(`FAIL  ${said}`)
    return 1
  }
}
