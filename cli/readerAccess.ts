import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { ReaderAccess } from './ask.ts'
import { type Environment, openAccess } from './clusterAccess.ts'

/** Which app is asked: one by its address, or that of a run of the loopback stack. */
export type AskedApp = {
  readonly app?: string | undefined
  readonly cluster?: string | undefined
  readonly key?: string | undefined
  readonly audience?: string | undefined
  readonly run?: string | undefined
}

const RUNS = join(import.meta.dirname, '..', '.local')
/** What the loopback stack leaves in the folder of a run. */
const READER_FILE = 'reader.json'
const stored = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })

/** Where questions about a cluster go, and who asks. Undefined: no app is named, and no stack runs here. */
export async function readerAccess(
  { app, cluster = '', key, audience = 'api://joiner', run }: AskedApp,
  environment: Environment,
  runs = RUNS,
): Promise<ReaderAccess | undefined> {
  if (app === undefined) {
    const file = latestFile(run === undefined ? runFolders(runs) : [run])
    const access = file === undefined ? undefined : stored.parse(JSON.parse(readFileSync(file, 'utf8')))
    return access && { ...access, url: access.url.replace(/\/explain$/, '') }
  }
  const functionKey = key ?? environment['JOINER_FUNCTION_KEY']
  return {
    url: `${app.replace(/\/$/, '')}/api/clusters/${encodeURIComponent(cluster)}`,
    headers: {
      authorization: `Bearer ${await openAccess(environment).token(audience)}`,
      accept: 'text/plain',
      ...(functionKey ? { 'x-functions-key': functionKey } : {}),
    },
  }
}

function latestFile(folders: readonly string[]): string | undefined {
  return folders
    .map((folder) => join(folder, READER_FILE))
    .filter((each) => existsSync(each))
    .sort((first, second) => statSync(second).mtimeMs - statSync(first).mtimeMs)[0]
}

function runFolders(runs: string): readonly string[] {
  if (!existsSync(runs)) return []
  return readdirSync(runs)
    .filter((name) => name.startsWith('run-'))
    .map((name) => join(runs, name))
}
