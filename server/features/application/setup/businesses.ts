// The ready companies of the setup: the stages and the fields that a shop, a firm of services and a
// builder begin with. Each text stands in the four languages of the setup, in their order.
import type { FieldType } from '../../../records/fields/types.ts'
import type { Business, SetupLanguage } from './schema.ts'

type Texts = readonly [en: string, ru: string, es: string, pt: string]

/** The text in a language. */
export const textIn = (texts: Texts, language: SetupLanguage): string =>
  texts[(['en', 'ru', 'es', 'pt'] as const).indexOf(language)]!

/** A field, the entity that it is of, and its options where its type has them. */
export interface BusinessField {
  of: 'leads' | 'contacts' | 'companies'
  type: FieldType
  name: Texts
  options?: readonly Texts[]
}

interface BusinessPlan {
  pipeline: Texts
  /** The colors are those of the palette of statuses. */
  stages: readonly { color: string; name: Texts }[]
  fields: readonly BusinessField[]
}

const stage = (color: string, ...name: Texts) => ({ color, name })

const field = (
  of: BusinessField['of'],
  type: FieldType,
  name: Texts,
  ...options: Texts[]
): BusinessField => ({ of, type, name, ...(options.length > 0 && { options }) })

const shop: BusinessPlan = {
  pipeline: ['Orders', 'Заказы', 'Pedidos', 'Pedidos'],
  stages: [
    stage('#d6eaff', 'New order', 'Новый заказ', 'Pedido nuevo', 'Novo pedido'),
    stage('#98cbff', 'Confirmed', 'Подтверждён', 'Confirmado', 'Confirmado'),
    stage(
      '#fffd7f',
      'Awaiting payment',
      'Ждёт оплаты',
      'Pendiente de pago',
      'Aguardando pagamento',
    ),
    stage('#ffce5a', 'Packing', 'Сборка', 'En preparación', 'Em separação'),
    stage('#deff81', 'Out for delivery', 'Доставка', 'En reparto', 'Saiu para entrega'),
  ],
  fields: [
    field('leads', 'text', [
      'Order number',
      'Номер заказа',
      'Número de pedido',
      'Número do pedido',
    ]),
    field(
      'leads',
      'select',
      ['Delivery method', 'Способ доставки', 'Forma de entrega', 'Forma de entrega'],
      ['Courier', 'Курьер', 'Mensajería', 'Motoboy'],
      ['Store pickup', 'Самовывоз', 'Recogida en tienda', 'Retirada na loja'],
      ['Pickup point', 'Пункт выдачи', 'Punto de recogida', 'Ponto de retirada'],
      ['Post', 'Почта', 'Correos', 'Correios'],
    ),
    field('leads', 'streetaddress', [
      'Delivery address',
      'Адрес доставки',
      'Dirección de entrega',
      'Endereço de entrega',
    ]),
    field('leads', 'date', [
      'Delivery date',
      'Дата доставки',
      'Fecha de entrega',
      'Data de entrega',
    ]),
    field(
      'leads',
      'select',
      ['Payment method', 'Способ оплаты', 'Forma de pago', 'Forma de pagamento'],
      ['Card', 'Карта', 'Tarjeta', 'Cartão'],
      ['Bank transfer', 'По счёту', 'Transferencia', 'Pix ou transferência'],
      ['Cash', 'Наличные', 'Efectivo', 'Dinheiro'],
      ['On delivery', 'При получении', 'Contra reembolso', 'Na entrega'],
    ),
    field('leads', 'text', [
      'Tracking number',
      'Трек-номер',
      'Número de seguimiento',
      'Código de rastreio',
    ]),
    field('contacts', 'birthday', ['Birthday', 'День рождения', 'Cumpleaños', 'Aniversário']),
  ],
}

const services: BusinessPlan = {
  pipeline: ['Jobs', 'Заявки', 'Servicios', 'Serviços'],
  stages: [
    stage('#d6eaff', 'New request', 'Новая заявка', 'Nueva solicitud', 'Nova solicitação'),
    stage(
      '#98cbff',
      'Details agreed',
      'Детали уточнены',
      'Detalles acordados',
      'Detalhes combinados',
    ),
    stage('#fffd7f', 'Quote sent', 'Цена согласуется', 'Presupuesto enviado', 'Orçamento enviado'),
    stage('#ffce5a', 'Booked', 'Визит назначен', 'Agendado', 'Agendado'),
    stage('#ccc8f9', 'In progress', 'В работе', 'En curso', 'Em andamento'),
    stage(
      '#deff81',
      'Awaiting payment',
      'Ждёт оплаты',
      'Pendiente de pago',
      'Aguardando pagamento',
    ),
  ],
  fields: [
    field(
      'leads',
      'multiselect',
      ['Services', 'Услуги', 'Servicios', 'Serviços'],
      ['Consultation', 'Консультация', 'Asesoría', 'Consultoria'],
      ['Installation', 'Установка', 'Instalación', 'Instalação'],
      ['Maintenance', 'Обслуживание', 'Mantenimiento', 'Manutenção'],
      ['Repair', 'Ремонт', 'Reparación', 'Conserto'],
    ),
    field('leads', 'date_time', [
      'Appointment',
      'Дата и время визита',
      'Cita',
      'Data e hora da visita',
    ]),
    field('leads', 'streetaddress', [
      'Visit address',
      'Адрес визита',
      'Dirección de la visita',
      'Endereço da visita',
    ]),
    field(
      'leads',
      'radiobutton',
      ['Urgency', 'Срочность', 'Urgencia', 'Urgência'],
      ['Can wait', 'Не срочно', 'Puede esperar', 'Pode esperar'],
      ['This week', 'На этой неделе', 'Esta semana', 'Esta semana'],
      ['Urgent', 'Срочно', 'Urgente', 'Urgente'],
    ),
    field('leads', 'numeric', [
      'Hours planned',
      'Планируемые часы',
      'Horas previstas',
      'Horas previstas',
    ]),
    field(
      'contacts',
      'select',
      ['Best way to reach', 'Как лучше связаться', 'Mejor forma de contacto', 'Contato preferido'],
      ['Call', 'Звонок', 'Llamada', 'Ligação'],
      ['Message', 'Сообщение', 'Mensaje', 'Mensagem'],
      ['E-mail', 'Эл. почта', 'Correo', 'E-mail'],
    ),
  ],
}

const builder: BusinessPlan = {
  pipeline: ['Building projects', 'Объекты', 'Obras', 'Obras'],
  stages: [
    stage('#d6eaff', 'New inquiry', 'Новая заявка', 'Nueva consulta', 'Novo contato'),
    stage('#98cbff', 'Site visit', 'Выезд на замер', 'Visita a la obra', 'Visita técnica'),
    stage('#fffd7f', 'Estimate', 'Смета', 'Presupuesto', 'Orçamento'),
    stage('#ffce5a', 'Contract', 'Договор', 'Contrato', 'Contrato'),
    stage('#ffc8c8', 'Deposit', 'Аванс', 'Anticipo', 'Sinal'),
    stage('#ccc8f9', 'Under construction', 'Стройка', 'En obra', 'Em obra'),
    stage('#deff81', 'Handover', 'Сдача объекта', 'Entrega de obra', 'Entrega da obra'),
  ],
  fields: [
    field(
      'leads',
      'select',
      ['Type of work', 'Вид работ', 'Tipo de obra', 'Tipo de obra'],
      ['New building', 'Новый дом', 'Obra nueva', 'Construção nova'],
      ['Extension', 'Пристройка', 'Ampliación', 'Ampliação'],
      ['Renovation', 'Ремонт', 'Reforma', 'Reforma'],
      ['Roof', 'Кровля', 'Tejado', 'Telhado'],
      ['Interior finishing', 'Отделка', 'Acabados', 'Acabamento'],
    ),
    field('leads', 'streetaddress', [
      'Site address',
      'Адрес объекта',
      'Dirección de la obra',
      'Endereço da obra',
    ]),
    field('leads', 'numeric', ['Area (m²)', 'Площадь (м²)', 'Superficie (m²)', 'Área (m²)']),
    field('leads', 'monetary', [
      'Cost of materials',
      'Стоимость материалов',
      'Coste de materiales',
      'Custo de materiais',
    ]),
    field('leads', 'date', ['Start of work', 'Начало работ', 'Inicio de obra', 'Início da obra']),
    field('leads', 'checkbox', [
      'Building permit',
      'Разрешение на строительство',
      'Licencia de obra',
      'Alvará de construção',
    ]),
    field(
      'contacts',
      'select',
      ['Role on site', 'Роль на объекте', 'Papel en la obra', 'Papel na obra'],
      ['Owner', 'Заказчик', 'Propietario', 'Proprietário'],
      ['Architect', 'Архитектор', 'Arquitecto', 'Arquiteto'],
      ['Site manager', 'Прораб', 'Jefe de obra', 'Mestre de obras'],
    ),
  ],
}

export const businesses: Record<Business, BusinessPlan> = { shop, services, builder }
