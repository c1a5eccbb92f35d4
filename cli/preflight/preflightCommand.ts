import { ok } from '../../shared/base/result.ts'
import { azdValues, withSubscription } from '../azdEnvironment.ts'
import { openAccess } from '../clusterAccess.ts'
import { runProgram } from '../down/runProgram.ts'
import { readArguments, USAGE } from './arguments.ts'
import { inspect } from './inspect.ts'
import { readInstallOptions } from './installOptions.ts'
import { inspectionJson, inspectionLines } from './printInspection.ts'

/** Checks whether Joiner can be installed for clusters. Changes nothing. Returns the exit code. */
export async function preflightCommand(args: readonly string[]): Promise<number> {
  const given = readArguments(args)
  if (!given.ok) return refuse([given.error])
  if (given.value === 'help') {
    console.log(USAGE)
    return 0
  }
  const { environment: asked, azdEnvironment, format } = given.value
  const known = azdEnvironment === undefined ? ok({}) : await azdValues(azdEnvironment, runProgram)
  if (!known.ok) {
    console.error(known.error)
    return 1
  }
  const environment = withSubscription({ ...process.env, ...known.value, ...asked })
  if (!environment['AZURE_SUBSCRIPTION_ID']) return refuse(['no cluster is named: say --cluster, or --env'])
  const wishes = readInstallOptions(environment)
  if (!wishes.ok) return refuse(wishes.error)
  const inspection = await inspect({ environment, access: openAccess(environment), run: runProgram }, wishes.value)
  for (const line of format === 'json' ? [inspectionJson(inspection)] : inspectionLines(inspection)) console.log(line)
  return inspection.failed ? 1 : 0
}

function refuse(why: readonly string[]): 2 {
  console.error(`${why.join('\n')}\n\n${USAGE}`)
  return 2
}
