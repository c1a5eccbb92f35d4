import * as z from 'zod'
import { parsedJson } from '../shared/base/json.ts'
import { err, ok, type Result } from '../shared/base/result.ts'
import type { Environment } from './clusterAccess.ts'
import type { RunProgram } from './down/runProgram.ts'

const values = z.record(z.string(), z.string())

/** Returns the values of an environment of azd, as azd tells them. */
export async function azdValues(name: string, run: RunProgram): Promise<Result<Environment, string>> {
  const { code, out, errors } = await run('azd', ['env', 'get-values', '--environment', name, '--output', 'json', '--no-prompt'])
  if (code === 127) return err('PREFLIGHT.TOOL   azd is not on the PATH; install it from https://aka.ms/azd')
  if (code !== 0) return err(`azd does not tell the values of environment ${name}: ${(errors || out).trim()}`)
  const read = values.safeParse(parsedJson(out))
  return read.success ? ok({ ...read.data, AZURE_ENV_NAME: name }) : err(`what azd tells of environment ${name} is not JSON`)
}

/** Joiner and its clusters are in one subscription, so the id of any cluster contains it. */
export function withSubscription(environment: Environment): Environment {
  const { AZURE_SUBSCRIPTION_ID: given, JOINER_CLUSTER_IDS: ids = '' } = environment
  return given ? environment : { ...environment, AZURE_SUBSCRIPTION_ID: /\/subscriptions\/([^/]+)\//i.exec(ids)?.[1] }
}
