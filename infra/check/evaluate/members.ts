// Members of values: `a.b`, `a[0]`, `a::b`.
import { type Place, Refusal } from '../parse/syntax.ts'
import { isList, isObject, kindOf, ModuleHandle, Open, openOf, openRead, ResourceHandle, type Value } from './value.ts'

/** Returns the member of a value by name. Refuses a name that is not there; with `isSafe` it returns null. */
export function memberOf(value: Value, name: string, isSafe: boolean, place: Place): Value {
  if (value === null && isSafe) return null
  if (value instanceof Open) return memberOfOpen(value, name, isSafe, place)
  if (value instanceof ResourceHandle) return memberOfResource(value, name, place)
  if (value instanceof ModuleHandle) return memberOfModule(value, name, place)
  if (!isObject(value)) throw new Refusal(place, `${kindOf(value)} has no property "${name}"`)
  const found = Object.hasOwn(value, name) ? value[name] : undefined
  if (found !== undefined) return found
  if (isSafe) return null
  throw new Refusal(place, `there is no property "${name}", only ${Object.keys(value).join(', ') || 'none at all'}`)
}

export function itemOf(value: Value, index: Value, isSafe: boolean, place: Place): Value {
  if (typeof index === 'string') return memberOf(value, index, isSafe, place)
  if (value === null && isSafe) return null
  if (index instanceof Open) return openOf('item', [value, index], ([list = null, at = null]) => itemOf(list, at, isSafe, place))
  if (typeof index !== 'number') throw new Refusal(place, `an index is a number or a text, not ${kindOf(index)}`)
  if (value instanceof Open) return memberOfOpen(value, index, isSafe, place)
  if (!isList(value)) throw new Refusal(place, `${kindOf(value)} has no items`)
  const found = value[index]
  if (found !== undefined) return found
  if (isSafe) return null
  throw new Refusal(place, `there is no item ${index} in a list of ${value.length}`)
}

function memberOfOpen(value: Open, name: string | number, isSafe: boolean, place: Place): Value {
  if (value.read !== undefined) return openRead({ ...value.read, path: [...value.read.path, name], file: place.file, line: place.line })
  return openOf(`.${name}`, [value], ([inner = null]) =>
    typeof name === 'string' ? memberOf(inner, name, isSafe, place) : itemOf(inner, name, isSafe, place),
  )
}

function memberOfResource(handle: ResourceHandle, name: string, place: Place): Value {
  const { facts } = handle
  if (name === 'id') return handle.id
  if (name === 'name') return facts.name
  if (name === 'type') return facts.type
  if (name === 'apiVersion') return facts.apiVersion
  if (!facts.isDeployed)
    throw new Refusal(place, `"${name}" is read of ${facts.type} ${facts.fullName}, which is not deployed with these parameters`)
  return openRead({ ...place, resourceId: handle.id, type: facts.type, apiVersion: facts.apiVersion, path: [name] })
}

function memberOfModule(handle: ModuleHandle, name: string, place: Place): Value {
  if (name === 'name') return handle.name
  if (name !== 'outputs') throw new Refusal(place, `a module has outputs and a name, and no "${name}"`)
  if (!handle.isDeployed)
    throw new Refusal(place, `outputs are read of the module ${handle.name}, which is not deployed with these parameters`)
  return handle.outputs()
}
