import * as z from 'zod'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { type Environment, openAccess } from '../clusterAccess.ts'
import { type RunProgram, runProgram } from '../down/runProgram.ts'
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

/** Joiner and its clusters are in one subscription, so the id of any cluster contains it. */
function withSubscription(environment: Environment): Environment {
  const { AZURE_SUBSCRIPTION_ID: given, JOINER_CLUSTER_IDS: ids = '' } = environment
  return given ? environment : { ...environment, AZURE_SUBSCRIPTION_ID: /\/subscriptions\/([^/]+)\//i.exec(ids)?.[1] }
}

const values = z.record(z.string(), z.string())

async function azdValues(name: string, run: RunProgram): Promise<Result<Environment, string>> {
  const { code, out, errors } = await run('azd', ['env', 'get-values', '--environment', name, '--output', 'json', '--no-prompt'])
  if (code === 127)
    return err(
      'PREFLIGHT.TOOL   azd is not on the PATH; install it from https://aka.ms/azd, or name clusters with --cluster in place of --env',
    )
  if (code !== 0) return err(`azd does not tell the values of environment ${name}: ${(errors || out).trim()}`)
  const read = values.safeParse(parsedJson(out))
  return read.success ? ok({ ...read.data, AZURE_ENV_NAME: name }) : err(`what azd tells of environment ${name} is not JSON`)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refuse(why: readonly string[]): 2 {
  console.error(`${why.join('\n')}\n\n${USAGE}`)
  return 2
}
