// `npm run machine-api`: says whether a stable version of Microsoft.ContainerService lets machines of an agent pool be written. Then a second way to make
// machines is possible (docs/adr/0030-plain-virtual-machines-only.md). It reads the definitions of the REST API on GitHub. Exit codes: 0 machines can only
// be read, 1 they can be written, so the decision is due, 2 it is not known, for example without a connection.
import * as z from 'zod'

const FOLDER = 'specification/containerservice/resource-manager/Microsoft.ContainerService/aks/stable'
const LIST = `https://api.github.com/repos/Azure/azure-rest-api-specs/contents/${FOLDER}`
const RAW = `https://raw.githubusercontent.com/Azure/azure-rest-api-specs/main/${FOLDER}`
const MACHINE = /\/managedClusters\/\{[^}]+\}\/agentPools\/\{[^}]+\}\/machines\/\{[^}]+\}$/i
const WRITES = ['put', 'patch']
const LIMIT_MS = 30_000

const folders = z.array(z.object({ name: z.string(), type: z.string() }))
const definition = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

export type MachineApiAnswer =
  | { readonly kind: 'readOnly' | 'writable'; readonly version: string }
  | { readonly kind: 'unknown'; readonly why: string }

/** Returns the newest version among the names of folders. A name that is no date is none: previews have their own folder. */
export function newestVersion(names: readonly string[]): string | undefined {
  return names
    .filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
    .reduce<string | undefined>((newest, name) => (newest === undefined || name > newest ? name : newest), undefined)
}

/** Reports whether a definition lets a machine be written. Undefined: the definition has no machines, so nothing can be said. */
export function areMachinesWritable(spec: unknown): boolean | undefined {
  const machine = Object.entries(definition.safeParse(spec).data?.paths ?? {}).find(([path]) => MACHINE.test(path))
  if (machine === undefined) return undefined
  return Object.keys(machine[1]).some((method) => WRITES.includes(method.toLowerCase()))
}

/** Asks for the newest stable version. A failure is no answer, and is told as what it is. */
export async function askMachineApi(ask: (url: string) => Promise<unknown>): Promise<MachineApiAnswer> {
  try {
    const listed = folders.safeParse(await ask(LIST))
    const version = newestVersion((listed.data ?? []).filter(({ type }) => type === 'dir').map(({ name }) => name))
    if (version === undefined) return { kind: 'unknown', why: `${LIST} lists no stable version` }
    const isWritable = areMachinesWritable(await ask(`${RAW}/${version}/managedClusters.json`))
    if (isWritable === undefined) return { kind: 'unknown', why: `the definition of ${version} has no machines where they are looked for` }
    return { kind: isWritable ? 'writable' : 'readOnly', version }
  } catch (cause) {
    return {
      kind: 'unknown',
      why: cause instanceof Error ? [cause.message, cause.cause].filter(Boolean).map(String).join(': ') : String(cause),
    }
  }
}

/** Returns the line and the exit code. */
export function tellMachineApi(answer: MachineApiAnswer): { readonly line: string; readonly code: 0 | 1 | 2 } {
  if (answer.kind === 'unknown')
    return { line: `NOT KNOWN: whether machines of an agent pool can be written was not found out: ${answer.why}`, code: 2 }
  const newest = `in ${answer.version}, the newest stable version of Microsoft.ContainerService`
  if (answer.kind === 'readOnly') return { line: `machines of an agent pool can only be read ${newest}`, code: 0 }
  return {
    line: `machines of an agent pool can be WRITTEN ${newest}: decide about docs/adr/0030-plain-virtual-machines-only.md again`,
    code: 1,
  }
}

async function askGitHub(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { 'user-agent': 'joiner' }, signal: AbortSignal.timeout(LIMIT_MS) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return answer.json()
}

if (import.meta.main) {
  const { line, code } = tellMachineApi(await askMachineApi(askGitHub))
  console.log(line)
  process.exitCode = code
}
