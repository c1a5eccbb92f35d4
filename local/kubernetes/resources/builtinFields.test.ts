import * as client from '@kubernetes/client-node'
import { expect, it } from 'vitest'
import { modelName } from './builtinSchema.ts'
import { BUILTINS } from './builtins.ts'
import { REVIEW_RESOURCES } from './reviewResources.ts'

interface Attribute {
  readonly baseName: string
  readonly type: string
}

const models = new Map<string, unknown>(Object.entries(client))

function attributesOf(type: string): readonly Attribute[] | undefined {
  const model = models.get(type)
  if (typeof model !== 'function' || !('getAttributeTypeMap' in model)) return undefined
  const read = model.getAttributeTypeMap
  return typeof read === 'function' ? read.call(model) : undefined
}

function collect(type: string, found: Map<string, Record<string, string>>): void {
  const name = type.replace(/^(?:Array<(.*)>|\{ \[key: string\]: (.*); \})$/, '$1$2')
  if (name !== type) {
    collect(name, found)
    return
  }
  const attributes = attributesOf(name)
  if (!attributes || found.has(name)) return
  found.set(name, Object.fromEntries(attributes.map((attribute) => [attribute.baseName, attribute.type])))
  for (const attribute of attributes) collect(attribute.type, found)
}

it('knows the fields of built-in kinds as the JavaScript client does (vitest -u writes them anew)', async () => {
  const found = new Map<string, Record<string, string>>()
  for (const resource of [...BUILTINS, ...REVIEW_RESOURCES]) collect(modelName(resource.kind, 'v1'), found)
  const sorted = Object.fromEntries([...found].sort(([first], [second]) => (first < second ? -1 : 1)))
  await expect(`${JSON.stringify(sorted, null, 2)}\n`).toMatchFileSnapshot('builtinFields.json')
})
