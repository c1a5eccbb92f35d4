/**
 * The answers of the local ARM have the fields and headers of Azure's answers. `records` holds answers of Azure as records of smoke: those of runs on
 * subscriptions, and `published.json`, which is no answer of Azure: it is written by hand after the reference of the REST API, and compared with Azure's
 * published types. A record of a run is put there as it is.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRecord, type SmokeAnswer } from '../../cli/smoke/record.ts'
import { kindOf, missingFields } from '../../cli/smoke/shapes.ts'
import { hasTypes, unknownMembers } from './bicepTypes.ts'
import { startSmokeWorld } from './smokeWorld.ts'

const FOLDER = join(import.meta.dirname, 'records')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))

function answersIn(file: string): readonly SmokeAnswer[] {
  const read = parseRecord(readFileSync(join(FOLDER, file), 'utf8'))
  if (!read.ok) throw new Error(`${file}: ${read.error}`)
  return read.value.answers
}

/** Ends of fields of Azure's answers that the local ARM does not have, since no part of Joiner reads them. */
const UNREAD: readonly string[] = [
  '.dnsSettings.appliedDnsServers:list',
  '.dnsSettings.dnsServers:list',
  '.properties.vnetEncryptionSupported:boolean',
  '.properties.privateIPAddressVersion:string',
  '.osDisk.caching:string',
  '.creationData.createOption:string',
  '.encryption.type:string',
  '.value[].properties.osType:string',
  '.value[].properties.provisioningState:string',
  '.value[].properties.timeCreated:string',
]
const isUnread = (field: string): boolean => UNREAD.some((end) => field.endsWith(end))

let answers: readonly SmokeAnswer[] = []
let close: () => Promise<void> = () => Promise.resolve()
beforeAll(async () => {
  const world = await startSmokeWorld()
  close = world.close
  const { code, record, lines } = await world.run()
  expect(code, lines.join('\n')).toBe(0)
  answers = record?.answers ?? []
})
afterAll(() => close())

const missingIn = (file: string): readonly string[] => missingFields(answersIn(file), answers)

const TYPES = [
  { type: 'Microsoft.Compute/virtualMachines', version: '2025-04-01', file: 'compute-2025-04-01.json.gz' },
  { type: 'Microsoft.Network/networkInterfaces', version: '2025-05-01', file: 'network-2025-05-01.json.gz' },
] as const

describe('the record that is written by hand', () => {
  it.skipIf(!TYPES.every(({ file }) => hasTypes(file))).each(TYPES)(
    'has no member of $type that Azure does not publish',
    ({ type, version, file }) => {
      const unknown = (value: unknown) => unknownMembers(file, `${type}@${version}`, value)
      const bodies = answersIn('published.json').filter(({ path, status }) => status < 300 && new RegExp(`${type}(/\\{\\})?$`).test(path))
      const resources = bodies.flatMap(({ body }) => {
        const { value } = (body ?? {}) as { readonly value?: readonly unknown[] }
        return value ?? (body === undefined ? [] : [body])
      })
      expect(resources.length).toBeGreaterThan(1)
      expect(resources.flatMap(unknown)).toEqual([])
      const [first] = resources as readonly { readonly properties: object }[]
      expect(unknown({ properties: { ...first?.properties, madeUp: true } })).toEqual(['.properties.madeUp'])
    },
  )
})

describe('the answers of the local ARM', () => {
  it('are compared with at least what is published', () => {
    expect(files).toContain('published.json')
    expect(answers.length).toBeGreaterThan(20)
    const kinds = new Set(answers.map(kindOf))
    expect(answersIn('published.json').filter((answer) => !kinds.has(kindOf(answer)))).toEqual([])
  })

  it.each(files)('have the fields of %s', (file) => {
    expect(missingIn(file).filter((field) => !isUnread(field))).toEqual([])
  })

  it('lack no more fields than the list says', () => {
    const missing = files.flatMap(missingIn)
    expect(UNREAD.filter((end) => !missing.some((field) => field.endsWith(end)))).toEqual([])
  })
})
