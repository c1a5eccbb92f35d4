import { type Access, type Environment, openAccess } from '../../cli/clusterAccess.ts'
import { type RunProgram, runProgram } from '../../cli/down/runProgram.ts'
import { Fault } from '../../shared/model/problem.ts'

/** Everything of the outside that a hook touches: each of `access` and `run` is one call that may be the last one before the machine dies. */
export type HookDeps = {
  /** What azd gives to a hook: the values of its environment, and what the parent had. */
  readonly environment: Environment
  readonly access: Access
  readonly run: RunProgram
  readonly print: (line: string) => void
}

export function createHookDeps(environment: Environment): HookDeps {
  return { environment, access: openAccess(environment), run: runProgram, print: (line) => console.log(line) }
}

/** What a hook could not do: the words are for whoever ran azd, and name the command that helps. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure'
}

/** What to tell of an error that is no bug of ours; undefined for a bug. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof HookFailure) return error.message
  if (error instanceof Fault) return `${error.problem.code}   ${error.message}`
  const isLogin =
    error instanceof Error &&
    /^(CredentialUnavailable|AuthenticationRequired|AggregateAuthentication|Authentication)Error$/.test(error.name)
  return isLogin ? `AZURE.FORBIDDEN   nobody is logged in; run: azd auth login (${error.message.split('\n')[0]})` : undefined
}

/** Runs a hook as azd does: its exit code, with the reason on the terminal. */
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
