import { setOwnValue } from '../../../shared/base/values.ts'
import { type Json, type JsonObject, listAt, objectAt } from '../object/json.ts'
import { PROTO_KINDS, type ProtoField, type ProtoShape } from './protobufShapes.ts'
import { badRequest, unsupportedMediaType } from './statusError.ts'

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00])

interface WireField {
  readonly number: number
  readonly bytes: Buffer
  readonly value: number
}

/**
 * Parses a protobuf body of a kind that common commands of kubectl send in protobuf. An unknown kind or field is refused with its name, never
 * dropped.
 */
export function parseProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, 4).equals(MAGIC)) throw badRequest('the protobuf body does not start with the Kubernetes magic number')
  const envelope = fieldsOf(body.subarray(4))
  const type = fieldsOf(envelope.find((field) => field.number === 1)?.bytes ?? Buffer.alloc(0))
  const member = (number: number): string => type.find((field) => field.number === number)?.bytes.toString('utf8') ?? ''
  const apiVersion = member(1)
  const kind = member(2)
  const shape = PROTO_KINDS[`${apiVersion} ${kind}`]
  if (!shape) {
    throw unsupportedMediaType(
      `the embedded API server does not read ${apiVersion} ${kind} in protobuf; send JSON, for example with kubectl apply -f`,
    )
  }
  const raw = envelope.find((field) => field.number === 2)?.bytes ?? Buffer.alloc(0)
  return { apiVersion, kind, ...readMessage(raw, shape, kind) }
}

function fieldsOf(bytes: Buffer): WireField[] {
  const fields: WireField[] = []
  let offset = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[offset++]
      if (byte === undefined) throw badRequest('the protobuf body ends within a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
  }
  while (offset < bytes.length) {
    const tag = varint()
    const number = tag >>> 3
    if ((tag & 7) === 0) fields.push({ number, bytes: Buffer.alloc(0), value: varint() })
    else if ((tag & 7) === 2) {
      const length = varint()
      if (length < 0 || offset + length > bytes.length) throw badRequest('the protobuf body ends within a field')
      fields.push({ number, bytes: bytes.subarray(offset, offset + length), value: 0 })
      offset += length
    } else throw badRequest(`the protobuf body holds wire type ${tag & 7}, which no known field has`)
  }
  return fields
}

function readMessage(bytes: Buffer, shape: ProtoShape, path: string): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const field of fieldsOf(bytes)) {
    const known = shape[field.number]
    if (!known) {
      if (isEmpty(field)) continue
      throw unsupportedMediaType(
        `the embedded API server does not read field ${field.number} of ${path} in protobuf; send JSON, for example with kubectl apply -f`,
      )
    }
    const value = readValue(field, known, `${path}.${known.name}`)
    if (value === undefined) continue
    if (known.type === 'map') setOwnValue(result, known.name, { ...objectAt(result, known.name), ...objectAt({ value }, 'value') })
    else if (known.list) setOwnValue(result, known.name, [...listAt(result, known.name), value])
    else setOwnValue(result, known.name, value)
  }
  return result
}

/** Reports whether a field is empty. Empty fields are written too, and a message of only empty fields is empty as well. */
function isEmpty(field: WireField): boolean {
  if (field.value !== 0) return false
  return field.bytes.every((byte, index) => (index % 2 === 1 ? byte === 0 : true)) && field.bytes.length % 2 === 0
}

function readValue(field: WireField, known: ProtoField, path: string): Json | undefined {
  switch (known.type) {
    case 'text':
      return field.bytes.length === 0 && known.list !== true ? undefined : field.bytes.toString('utf8')
    case 'bytes':
      return field.bytes.toString('base64')
    case 'int':
      return field.value === 0 && known.pointer !== true ? undefined : field.value
    case 'bool':
      return field.value === 0 && known.pointer !== true ? undefined : field.value !== 0
    case 'time':
      return undefined
    case 'intOrString':
      return readIntOrString(field.bytes)
    case 'message': {
      const read = readMessage(field.bytes, known.shape, path)
      return Object.keys(read).length === 0 && known.list !== true && known.name !== 'metadata' ? undefined : read
    }
    case 'map':
      return readEntry(field.bytes, known.values)
  }
}

function readIntOrString(bytes: Buffer): Json {
  const fields = fieldsOf(bytes)
  const isText = (fields.find((field) => field.number === 1)?.value ?? 0) === 1
  if (isText) return fields.find((field) => field.number === 3)?.bytes.toString('utf8') ?? ''
  return fields.find((field) => field.number === 2)?.value ?? 0
}

function readEntry(bytes: Buffer, values: 'text' | 'bytes' | 'quantity'): JsonObject {
  const fields = fieldsOf(bytes)
  const key = fields.find((field) => field.number === 1)?.bytes.toString('utf8') ?? ''
  const value = fields.find((field) => field.number === 2)?.bytes ?? Buffer.alloc(0)
  if (values === 'bytes') return { [key]: value.toString('base64') }
  if (values === 'text') return { [key]: value.toString('utf8') }
  return {
    [key]:
      fieldsOf(value)
        .find((field) => field.number === 1)
        ?.bytes.toString('utf8') ?? '',
  }
}
