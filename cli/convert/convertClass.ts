/** v1alpha2 to v1beta1 of AKSNodeClasses. Both versions have the same fields. */
import { ownValue } from '../../shared/base/values.ts'
import { isObject } from '../../shared/wire/codec.ts'
import { nodeClassSchema } from '../../shared/wire/schema/nodeClassSchema.ts'
import { structuralSchema } from '../../shared/wire/schema/structuralSchema.ts'
import { AZURE_GROUP } from './names.ts'
import { refusal, setAt, type Target, valueAt } from './target.ts'

/** Returns what has no form in v1beta1. */
export function convertClass(target: Target): readonly string[] {
  setAt(target, `${AZURE_GROUP}/v1beta1`, 'apiVersion')
  return unknownFields(target, valueAt(target, 'spec'), specSchema(), 'spec')
}

function unknownFields(target: Target, value: unknown, schema: unknown, path: string): readonly string[] {
  const fields = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(value) || !isObject(fields)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    Object.hasOwn(fields, name)
      ? unknownFields(target, member, ownValue(fields, name), `${path}.${name}`)
      : [refusal(target, `${path}.${name}`, 'v1beta1 has no such field')],
  )
}

function specSchema(): unknown {
  const { properties } = structuralSchema(nodeClassSchema)
  return isObject(properties) ? properties['spec'] : undefined
}
