import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { APP_AUDIENCE, LOCAL_CLUSTER, READER_IDENTITY } from './identities.ts'
import type { Stack } from './startStack.ts'

/** Access for a person who asks the function app of this run for explanations. */
export type ReaderAccess = {
  /** The base of the paths `pods/NAMESPACE/NAME` and `nodeclaims/NAME`. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
}

/** The file in the folder of a run that `npx joiner` reads. */
const READER_FILE = 'reader.json'
const DAY_S = 86_400

/** Writes address and token into the folder of the run, for `npx joiner` and for curl. Returns the URL and the file with the headers. */
export async function writeReaderAccess(
  { azure, functions }: Pick<Stack, 'azure' | 'functions'>,
  directory: string,
): Promise<{ readonly url: string; readonly headersFile: string }> {
  const { url: app } = await functions.ready()
  const { objectId: oid, clientId: appid } = READER_IDENTITY
  const token = await azure.issueToken({ oid, appid, audience: APP_AUDIENCE, expiresInSeconds: DAY_S })
  const url = `${app}/api/clusters/${LOCAL_CLUSTER}/explain`
  const headers = { authorization: `Bearer ${token}`, accept: 'text/plain' }
  const access: ReaderAccess = { url, headers }
  writeFileSync(join(directory, READER_FILE), JSON.stringify(access), { mode: 0o600 })
  const headersFile = join(directory, 'reader-headers')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  writeFileSync(headersFile, lines.join(''), { mode: 0o600 })
  return { url, headersFile }
}
