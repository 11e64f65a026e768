import { testArea } from './asked.ts'

testArea('fields')
