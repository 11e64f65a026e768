// Accounts for pictures: a shop, a builder and an agency, in four languages. They are made through the
// interface, so that a picture shows what a customer would see. People and phones are fictional.

export const trades = ['shop', 'builder', 'agency'] as const
export type Trade = (typeof trades)[number]
export type PictureLanguage = 'en' | 'ru' | 'es' | 'pt'

interface PictureNames {
  country: string
  currency: string
  timezone: string
  phone: (number: number) => string
  people: string[]
  companies: string[]
  /** Texts of tasks. */
  tasks: string[]
  sources: [form: string, calls: string]
  /** The stage of requests that wait. */
  waiting: string
  /** The groups of fields of a lead. */
  groups: [main: string, statistics: string]
  story: Story
}

/** The words of the lead whose card is pictured; its client is the second of the people. */
interface Story {
  email: string
  pinned: string
  notes: [first: string, last: string]
  call: string
  /** Of the task that is completed. */
  result: string
}

interface Work {
  company: string
  stages: string[]
  leads: string[]
  tags: string[]
  form: string
  /** Prices are this times a number from 1 to 20. */
  price: number
  /** In the lead whose card is pictured. */
  products: [first: string, second: string]
}

const pictureNames: Record<PictureLanguage, PictureNames> = {
  en: {
    country: 'US',
    currency: 'USD',
    timezone: 'America/New_York',
    phone: (number) => `+1 212 555 01${String(number).padStart(2, '0')}`,
    people: [
      'Grace Holloway',
      'Marcus Reed',
      'Priya Raman',
      'Daniel Okafor',
      'Helen Castillo',
      'Owen Gallagher',
      'Nadia Brooks',
      'Thomas Whitfield',
      'Amara Diallo',
      'Lucas Meyer',
      'Sofia Turner',
      'Ethan Cole',
      'Ines Walker',
      'Samuel Kim',
      'Chloe Bennett',
      'Victor Hayes',
    ],
    companies: [
      'Alder Street Bakery',
      'Northwind Logistics',
      'Brightside Dental',
      'Harbor Lane Hotel',
      'Cedar & Sons',
      'Juniper Studio',
      'Lakeside Brewing',
      'Summit Cycles',
    ],
    tasks: [
      'Call back about the offer',
      'Send the contract',
      'Agree on the date',
      'Check the payment',
      'Ask for the measurements',
    ],
    sources: ['Website form', 'Main line'],
    waiting: 'Incoming',
    groups: ['General', 'Statistics'],
    story: {
      email: 'marcus.reed@alderstreet.example',
      pinned: 'Call after 5 pm, he is at the counter until then.',
      notes: [
        'Found us through a friend. Compares two offers and decides before the end of the month.',
        'His partner has agreed to the price. The invoice goes to the bakery.',
      ],
      call: 'Asked about terms of payment and delivery',
      result: 'The deposit has arrived',
    },
  },
  ru: {
    country: 'RU',
    currency: 'RUB',
    timezone: 'Europe/Moscow',
    phone: (number) =>
      `+7 495 000-${String(10 + (number % 80)).padStart(2, '0')}-${String(number).padStart(2, '0')}`,
    people: [
      'Анна Кузнецова',
      'Сергей Волков',
      'Мария Орлова',
      'Дмитрий Соколов',
      'Елена Морозова',
      'Игорь Лебедев',
      'Ольга Новикова',
      'Павел Зайцев',
      'Татьяна Белова',
      'Алексей Громов',
      'Юлия Крылова',
      'Никита Фомин',
      'Вера Ильина',
      'Роман Титов',
      'Ксения Жукова',
      'Антон Беляев',
    ],
    companies: [
      'Пекарня «Колос»',
      'ТК «Северный путь»',
      'Клиника «Рассвет»',
      'Отель «Гавань»',
      'Мастерская «Кедр»',
      'Студия «Ива»',
      'Пивоварня «Озёрная»',
      'Велоцентр «Вершина»',
    ],
    tasks: [
      'Перезвонить по предложению',
      'Отправить договор',
      'Согласовать дату',
      'Проверить оплату',
      'Уточнить размеры',
    ],
    sources: ['Форма на сайте', 'Основной номер'],
    waiting: 'Неразобранное',
    groups: ['Основное', 'Статистика'],
    story: {
      email: 's.volkov@kolos.example',
      pinned: 'Звонить после 17:00, до этого он занят на производстве.',
      notes: [
        'Пришёл по рекомендации. Сравнивает два предложения, решит до конца месяца.',
        'Партнёр согласовал цену. Счёт выставляем на пекарню.',
      ],
      call: 'Спросил об условиях оплаты и сроках',
      result: 'Предоплата поступила',
    },
  },
  es: {
    country: 'ES',
    currency: 'EUR',
    timezone: 'Europe/Madrid',
    phone: (number) => `+34 900 555 ${String(100 + number)}`,
    people: [
      'Lucía Navarro',
      'Javier Ortega',
      'Carmen Vidal',
      'Diego Fuentes',
      'Elena Ramos',
      'Álvaro Prieto',
      'Marta Iglesias',
      'Pablo Serrano',
      'Nuria Campos',
      'Hugo Molina',
      'Sara Peña',
      'Iván Cortés',
      'Rosa Delgado',
      'Adrián León',
      'Clara Soler',
      'Bruno Gil',
    ],
    companies: [
      'Panadería El Molino',
      'Transportes Norte',
      'Clínica Aurora',
      'Hotel La Bahía',
      'Carpintería Cedro',
      'Estudio Junco',
      'Cervezas del Lago',
      'Bicis Cumbre',
    ],
    tasks: [
      'Llamar por la oferta',
      'Enviar el contrato',
      'Acordar la fecha',
      'Comprobar el pago',
      'Pedir las medidas',
    ],
    sources: ['Formulario web', 'Línea principal'],
    waiting: 'Entrantes',
    groups: ['General', 'Estadísticas'],
    story: {
      email: 'javier@elmolino.example',
      pinned: 'Llamar después de las 17:00, antes está en el obrador.',
      notes: [
        'Viene recomendado. Compara dos ofertas y decide antes de fin de mes.',
        'Su socia acepta el precio. La factura va a nombre de la panadería.',
      ],
      call: 'Preguntó por la forma de pago y los plazos',
      result: 'Ha llegado la señal',
    },
  },
  pt: {
    country: 'BR',
    currency: 'BRL',
    timezone: 'America/Sao_Paulo',
    phone: (number) => `+55 11 5550-${String(1000 + number)}`,
    people: [
      'Beatriz Almeida',
      'Rafael Souza',
      'Camila Rocha',
      'Thiago Martins',
      'Fernanda Lima',
      'Gustavo Pires',
      'Larissa Prado',
      'Eduardo Nunes',
      'Patrícia Gomes',
      'André Barros',
      'Juliana Castro',
      'Marcelo Dias',
      'Renata Freitas',
      'Felipe Moraes',
      'Vanessa Teixeira',
      'Caio Ribeiro',
    ],
    companies: [
      'Padaria Girassol',
      'Transportes Norte',
      'Clínica Aurora',
      'Hotel Baía Azul',
      'Marcenaria Cedro',
      'Estúdio Jasmim',
      'Cervejaria do Lago',
      'Bikes Serra',
    ],
    tasks: [
      'Ligar sobre a proposta',
      'Enviar o contrato',
      'Combinar a data',
      'Conferir o pagamento',
      'Pedir as medidas',
    ],
    sources: ['Formulário do site', 'Linha principal'],
    waiting: 'Recebidos',
    groups: ['Geral', 'Estatísticas'],
    story: {
      email: 'rafael@girassol.example',
      pinned: 'Ligar depois das 17h, antes disso ele está na produção.',
      notes: [
        'Veio por indicação. Compara duas propostas e decide até o fim do mês.',
        'A sócia aceitou o preço. A nota sai em nome da padaria.',
      ],
      call: 'Perguntou sobre o pagamento e o prazo',
      result: 'O sinal foi pago',
    },
  },
}

const works: Record<Trade, Record<PictureLanguage, Work>> = {
  shop: {
    en: {
      company: 'Lumen & Oak',
      stages: ['New request', 'Offer sent', 'Deposit paid', 'Delivery'],
      leads: [
        'Oak dining table',
        'Set of six chairs',
        'Bookcase, 3 m',
        'Office desks × 8',
        'Sofa in green velvet',
        'Lamps for the lobby',
        'Kitchen island',
        'Wardrobe with mirrors',
      ],
      tags: ['showroom', 'web', 'design', 'wholesale', 'vip'],
      form: 'Ask for a quote',
      price: 240,
      products: ['Oak table, 220 cm', 'Chair in oak and linen'],
    },
    ru: {
      company: 'Свет и дуб',
      stages: ['Новый запрос', 'Отправлено КП', 'Предоплата', 'Доставка'],
      leads: [
        'Дубовый обеденный стол',
        'Шесть стульев',
        'Стеллаж, 3 м',
        'Столы в офис × 8',
        'Зелёный бархатный диван',
        'Светильники в холл',
        'Кухонный остров',
        'Шкаф с зеркалами',
      ],
      tags: ['салон', 'сайт', 'дизайн', 'опт', 'vip'],
      form: 'Рассчитать стоимость',
      price: 18_000,
      products: ['Стол дубовый, 220 см', 'Стул, дуб и лён'],
    },
    es: {
      company: 'Luz y Roble',
      stages: ['Nueva solicitud', 'Oferta enviada', 'Señal pagada', 'Entrega'],
      leads: [
        'Mesa de roble',
        'Juego de seis sillas',
        'Librería de 3 m',
        'Escritorios × 8',
        'Sofá de terciopelo verde',
        'Lámparas para el vestíbulo',
        'Isla de cocina',
        'Armario con espejos',
      ],
      tags: ['tienda', 'web', 'diseño', 'mayorista', 'vip'],
      form: 'Pedir presupuesto',
      price: 220,
      products: ['Mesa de roble, 220 cm', 'Silla de roble y lino'],
    },
    pt: {
      company: 'Luz & Carvalho',
      stages: ['Novo pedido', 'Proposta enviada', 'Sinal pago', 'Entrega'],
      leads: [
        'Mesa de carvalho',
        'Jogo de seis cadeiras',
        'Estante de 3 m',
        'Mesas de escritório × 8',
        'Sofá de veludo verde',
        'Luminárias para o hall',
        'Ilha de cozinha',
        'Guarda-roupa com espelhos',
      ],
      tags: ['loja', 'site', 'design', 'atacado', 'vip'],
      form: 'Pedir orçamento',
      price: 900,
      products: ['Mesa de carvalho, 220 cm', 'Cadeira de carvalho e linho'],
    },
  },
  builder: {
    en: {
      company: 'Stonebridge Homes',
      stages: ['Inquiry', 'Site visit', 'Estimate', 'Contract', 'In construction'],
      leads: [
        'Loft conversion',
        'Timber house, 140 m²',
        'Garage and driveway',
        'Roof renewal',
        'Bathroom and heating',
        'Winter garden',
        'Facade insulation',
        'Extension, two rooms',
      ],
      tags: ['turnkey', 'mortgage', 'referral', 'urgent', 'project'],
      form: 'Book a site visit',
      price: 9500,
      products: ['Loft conversion, m²', 'Roof window'],
    },
    ru: {
      company: 'Каменный мост',
      stages: ['Заявка', 'Выезд на участок', 'Смета', 'Договор', 'Стройка'],
      leads: [
        'Мансарда под ключ',
        'Дом из бруса, 140 м²',
        'Гараж и подъезд',
        'Замена кровли',
        'Ванная и отопление',
        'Зимний сад',
        'Утепление фасада',
        'Пристройка, две комнаты',
      ],
      tags: ['под ключ', 'ипотека', 'рекомендация', 'срочно', 'проект'],
      form: 'Вызвать замерщика',
      price: 480_000,
      products: ['Мансарда, м²', 'Мансардное окно'],
    },
    es: {
      company: 'Puente de Piedra',
      stages: ['Consulta', 'Visita', 'Presupuesto', 'Contrato', 'En obra'],
      leads: [
        'Reforma de ático',
        'Casa de madera, 140 m²',
        'Garaje y acceso',
        'Tejado nuevo',
        'Baño y calefacción',
        'Galería acristalada',
        'Aislamiento de fachada',
        'Ampliación, dos cuartos',
      ],
      tags: ['llave en mano', 'hipoteca', 'recomendado', 'urgente', 'proyecto'],
      form: 'Pedir una visita',
      price: 8200,
      products: ['Reforma de ático, m²', 'Ventana de tejado'],
    },
    pt: {
      company: 'Ponte de Pedra',
      stages: ['Consulta', 'Visita', 'Orçamento', 'Contrato', 'Em obra'],
      leads: [
        'Reforma do sótão',
        'Casa de madeira, 140 m²',
        'Garagem e acesso',
        'Telhado novo',
        'Banheiro e aquecimento',
        'Jardim de inverno',
        'Isolamento da fachada',
        'Ampliação, dois quartos',
      ],
      tags: ['chave na mão', 'financiado', 'indicação', 'urgente', 'projeto'],
      form: 'Agendar visita',
      price: 42_000,
      products: ['Reforma do sótão, m²', 'Janela de telhado'],
    },
  },
  agency: {
    en: {
      company: 'Brightwork Agency',
      stages: ['Brief', 'Proposal', 'Negotiation', 'Signed'],
      leads: [
        'Website relaunch',
        'Spring campaign',
        'Brand book',
        'Search ads, 6 months',
        'Product video',
        'Newsletter set-up',
        'Trade fair stand',
        'Social media, retainer',
      ],
      tags: ['retainer', 'pitch', 'referral', 'b2b', 'event'],
      form: 'Start a project',
      price: 1800,
      products: ['Page design', 'Development, day'],
    },
    ru: {
      company: 'Агентство «Ясно»',
      stages: ['Бриф', 'Предложение', 'Переговоры', 'Подписано'],
      leads: [
        'Новый сайт',
        'Весенняя кампания',
        'Брендбук',
        'Контекстная реклама, полгода',
        'Ролик о продукте',
        'Рассылка',
        'Стенд на выставку',
        'Соцсети, абонент',
      ],
      tags: ['абонент', 'тендер', 'рекомендация', 'b2b', 'событие'],
      form: 'Обсудить проект',
      price: 75_000,
      products: ['Дизайн страницы', 'Разработка, день'],
    },
    es: {
      company: 'Agencia Claro',
      stages: ['Briefing', 'Propuesta', 'Negociación', 'Firmado'],
      leads: [
        'Web nueva',
        'Campaña de primavera',
        'Manual de marca',
        'Anuncios, 6 meses',
        'Vídeo de producto',
        'Boletín',
        'Stand de feria',
        'Redes sociales, cuota',
      ],
      tags: ['cuota', 'concurso', 'recomendado', 'b2b', 'evento'],
      form: 'Empezar un proyecto',
      price: 1500,
      products: ['Diseño de página', 'Desarrollo, día'],
    },
    pt: {
      company: 'Agência Claro',
      stages: ['Briefing', 'Proposta', 'Negociação', 'Assinado'],
      leads: [
        'Site novo',
        'Campanha de primavera',
        'Manual da marca',
        'Anúncios, 6 meses',
        'Vídeo do produto',
        'Newsletter',
        'Estande de feira',
        'Redes sociais, mensal',
      ],
      tags: ['mensal', 'concorrência', 'indicação', 'b2b', 'evento'],
      form: 'Iniciar um projeto',
      price: 7000,
      products: ['Design de página', 'Desenvolvimento, dia'],
    },
  },
}

/** Asks the interface, as a program where it has a token; throws what it refuses. */
type Ask = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
  token?: string,
) => Promise<Answer>
// oxlint-disable-next-line typescript/no-explicit-any -- a script that reads what it has made
type Answer = any

const password = 'a password for pictures'

/** The answers of the first-run setup for a picture. */
export const setupOf = (trade: Trade, language: PictureLanguage) => {
  const { currency, timezone, people } = pictureNames[language]
  return {
    company: works[trade][language].company,
    subdomain: `${trade}-${language}`,
    language,
    timezone,
    currency,
    name: people[0]!,
    email: `${trade}@${language}.example`,
    password,
    sales_process: 'simple',
    customers: 'off',
  }
}

const colors = ['#98cbff', '#fff000', '#ffce5a', '#ff8f92', '#87f2c0']
const daySeconds = 86_400

/** Of the products in the pictured lead: the price, times the price of the trade, and how many. */
const sold: Record<Trade, [first: [number, number], second: [number, number]]> = {
  shop: [
    [6, 1],
    [0.8, 6],
  ],
  builder: [
    [0.1, 60],
    [0.12, 4],
  ],
  agency: [
    [0.5, 8],
    [0.4, 12],
  ],
}
const own = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }

/** Fills an account with the records of a trade. Answers its pipeline, and the lead with a story. */
export async function fillPicture(
  ask: Ask,
  trade: Trade,
  language: PictureLanguage,
): Promise<{ pipeline: number; lead: number }> {
  const names = pictureNames[language]
  const work = works[trade][language]
  const now = Math.floor(Date.now() / 1000)
  await ask('PATCH', '/web/v1/preferences', { first_steps: false })
  const made = await ask('POST', '/api/v4/leads/pipelines', [
    {
      name: work.company,
      is_main: true,
      is_unsorted_on: true,
      sort: 1,
      _embedded: {
        statuses: [
          { name: names.waiting, type: 1, sort: 10 },
          ...work.stages.map((name, at) => ({ name, sort: at * 10 + 20, color: colors[at] })),
        ],
      },
    },
  ])
  const pipeline = made._embedded.pipelines[0]
  const stages = (pipeline._embedded.statuses as { id: number; type: number }[])
    .filter(({ id, type }) => type === 0 && id > 143)
    .map(({ id }) => id)
  // People are invited; only a program makes users.
  const program = {
    name: 'Pictures',
    redirect_uri: 'https://pictures.example',
    manages_people: true,
    password,
  }
  const { client_id } = await ask('POST', '/web/v1/integrations', program)
  const tokenPath = `/web/v1/integrations/${client_id}/token`
  const { access_token } = await ask('POST', tokenPath, { days: 1, password })
  const colleagues = await ask(
    'POST',
    '/api/v4/users',
    names.people.slice(12, 15).map((name, at) => ({
      name,
      email: `${trade}-${at}@${language}.example`,
      password: 'Pictures 1',
      rights: { leads: own, contacts: own, companies: own, tasks: { edit: 'A', delete: 'A' } },
    })),
    access_token,
  )
  const users = [undefined, ...(colleagues._embedded.users as { id: number }[]).map(({ id }) => id)]
  const phoneOf = (at: number) => ({
    field_code: 'PHONE',
    values: [{ value: names.phone(at), enum_code: 'MOB' }],
  })
  const contacts = await ask(
    'POST',
    '/api/v4/contacts',
    names.people.slice(1).map((name, at) => ({ name, custom_fields_values: [phoneOf(at)] })),
  )
  const companies = await ask(
    'POST',
    '/api/v4/companies',
    names.companies.map((name) => ({ name })),
  )
  const contactIds = (contacts._embedded.contacts as { id: number }[]).map(({ id }) => id)
  const companyIds = (companies._embedded.companies as { id: number }[]).map(({ id }) => id)
  // More at the start of the pipeline than at its end, as it is in life.
  const perStage = [9, 7, 5, 4, 3]
  const drafts = stages.flatMap((status_id, stage) =>
    Array.from({ length: perStage[stage]! }, (_, at) => {
      const number = stage * 7 + at * 3
      const pick = <Item>(list: readonly Item[], by: number) => list[by % list.length]!
      return {
        name: pick(work.leads, number + stage),
        price: work.price * (1 + ((number * 7) % 20)),
        pipeline_id: pipeline.id,
        status_id,
        created_at: now - daySeconds * (1 + ((number * 5) % 30)),
        ...(pick(users, number) && { responsible_user_id: pick(users, number) }),
        _embedded: {
          tags: [
            pick(work.tags, number),
            ...(at % 3 === 0 ? [pick(work.tags, number + 2)] : []),
          ].map((name) => ({ name })),
          contacts: [{ id: pick(contactIds, number) }],
          ...(at % 2 === 0 && { companies: [{ id: pick(companyIds, number) }] }),
        },
      }
    }),
  )
  const leads = await ask('POST', '/api/v4/leads', drafts)
  const leadIds = (leads._embedded.leads as { id: number }[]).map(({ id }) => id)
  await ask(
    'POST',
    '/api/v4/tasks',
    leadIds
      .filter((_, at) => at % 4 !== 3)
      .map((entity_id, at) => ({
        text: names.tasks[at % names.tasks.length]!,
        entity_id,
        entity_type: 'leads',
        complete_till: now + [-2 * daySeconds, 5400, 3 * daySeconds, 10_800, daySeconds][at % 5]!,
      })),
  )
  const [form, calls] = names.sources
  const person = (at: number, name: string | undefined, tags: string[] = []) => ({
    ...(name !== undefined && { name }),
    custom_fields_values: [phoneOf(at)],
    _embedded: { tags: tags.map((each) => ({ name: each })) },
  })
  const of = (at: number, more: object) => ({
    pipeline_id: pipeline.id,
    source_uid: `picture-${at}`,
    created_at: now - [420, 2400, 7800, 15_600, 30_000][at % 5]!,
    ...more,
  })
  const metadata = (at: number) => ({
    form_id: 'quote',
    form_name: work.form,
    form_page: 'https://example.com/',
    form_sent_at: now - at * 100,
  })
  await ask('POST', '/api/v4/leads/unsorted/forms', [
    of(0, {
      source_name: form,
      metadata: metadata(0),
      _embedded: {
        leads: [{ name: work.leads[1] }],
        // A client who is known already.
        contacts: [person(3, names.people[4], [work.tags[1]!])],
      },
    }),
    of(3, {
      source_name: form,
      metadata: metadata(3),
      _embedded: {
        leads: [{ name: work.leads[6] }],
        contacts: [person(73, names.people[6], [work.tags[3]!, work.tags[4]!])],
      },
    }),
    of(2, {
      source_name: form,
      metadata: metadata(2),
      _embedded: { leads: [{ name: work.leads[4] }], contacts: [person(71, names.people[9])] },
    }),
  ])
  const { id: user } = (await ask('GET', '/api/v4/users'))._embedded.users[0]
  await ask('POST', '/api/v4/leads/unsorted/sip', [
    of(1, {
      source_name: calls,
      metadata: {
        phone: names.phone(72),
        called_at: now - 2400,
        duration: 134,
        link: 'https://pbx.example/recording.mp3',
        service_code: 'pbx',
        uniq: 'picture-call',
        call_responsible: String(user),
      },
      _embedded: { contacts: [person(72, names.people[12], [work.tags[0]!])] },
    }),
  ])
  const lead = await addStory(ask, trade, language, {
    pipeline: pipeline.id as number,
    stages,
    contact: contactIds[0]!,
    company: companyIds[0]!,
    colleague: users[1]!,
  })
  return { pipeline: pipeline.id as number, lead }
}

interface Parties {
  pipeline: number
  stages: number[]
  contact: number
  company: number
  colleague: number
}

/** A lead that has gone through two stages, with all that a card shows. Answers its id. */
async function addStory(
  ask: Ask,
  trade: Trade,
  language: PictureLanguage,
  { pipeline, stages, contact, company, colleague }: Parties,
): Promise<number> {
  const { tasks, phone, story, timezone, groups } = pictureNames[language]
  const work = works[trade][language]
  const now = Math.floor(Date.now() / 1000)
  const clock = { timeZone: timezone, hourCycle: 'h23', timeStyle: 'short' } as const
  const [hours, minutes] = new Intl.DateTimeFormat('en', clock).format(now * 1000).split(':')
  const midnight = now - (Number(hours) * 60 + Number(minutes)) * 60
  // In the hours of work, whenever the picture is taken.
  const at = (days: number, hour: number) => Math.floor(midnight + days * daySeconds + hour * 3600)
  const bill = sold[trade].map(([times, quantity]) => [work.price * times, quantity] as const)
  for (const [index, id] of ['default', 'statistic'].entries())
    await ask('PATCH', `/api/v4/leads/custom_fields/groups/${id}`, { name: groups[index] })
  await ask('PATCH', `/api/v4/contacts/${contact}`, {
    custom_fields_values: [
      { field_code: 'EMAIL', values: [{ value: story.email, enum_code: 'WORK' }] },
    ],
  })
  const added = await ask('POST', '/api/v4/leads', [
    {
      name: work.leads[0],
      price: Math.round(bill.reduce((sum, [price, quantity]) => sum + price * quantity, 0)),
      pipeline_id: pipeline,
      status_id: stages[0],
      created_at: at(-5, 9.7),
      _embedded: {
        tags: [work.tags[0], work.tags[2]].map((name) => ({ name })),
        contacts: [{ id: contact }],
        companies: [{ id: company }],
      },
    },
  ])
  const lead = added._embedded.leads[0].id as number
  const [catalog] = (
    await ask('POST', '/api/v4/catalogs', [
      { name: 'Products', type: 'products', can_show_in_cards: true },
    ])
  )._embedded.catalogs as [{ id: number }]
  const elements = await ask(
    'POST',
    `/api/v4/catalogs/${catalog.id}/elements`,
    work.products.map((name, at) => ({
      name,
      custom_fields_values: [{ field_code: 'PRICE', values: [{ value: bill[at]![0] }] }],
    })),
  )
  await ask(
    'POST',
    `/api/v4/leads/${lead}/link`,
    (elements._embedded.elements as { id: number }[]).map(({ id }, at) => ({
      to_entity_id: id,
      to_entity_type: 'catalog_elements',
      metadata: { quantity: bill[at]![1], catalog_id: catalog.id },
    })),
  )
  const of = { entity_id: lead, entity_type: 'leads' }
  const made = await ask('POST', '/api/v4/tasks', [
    { ...of, text: tasks[3], complete_till: at(0, 18), created_at: at(-3, 12) },
    { ...of, text: tasks[0], complete_till: at(-1, 17.5), created_at: at(-3, 12.1) },
    { ...of, text: tasks[2], complete_till: at(1, 11), task_type_id: 2, created_at: at(-1, 15) },
  ])
  await ask('PATCH', `/api/v4/leads/${lead}`, { status_id: stages[1] })
  await ask('PATCH', `/api/v4/tasks/${made._embedded.tasks[0].id}`, {
    is_completed: true,
    result: { text: story.result },
  })
  await ask('PATCH', `/api/v4/leads/${lead}`, { status_id: stages[2] })
  const note = (text: string, created_at: number, by?: number) => ({
    note_type: 'common',
    params: { text },
    created_at,
    ...(by && { created_by: by }),
  })
  const notes = await ask('POST', `/api/v4/leads/${lead}/notes`, [
    note(story.pinned, at(-5, 9.8)),
    note(story.notes[0], at(-3, 11.9), colleague),
    {
      note_type: 'call_in',
      params: {
        uniq: 'picture-story',
        duration: 222,
        source: 'PBX',
        link: 'https://pbx.example/story.mp3',
        phone: phone(0),
        call_status: 4,
        call_result: story.call,
      },
      created_at: at(-1, 14.7),
    },
    note(story.notes[1], at(-1, 16.3), colleague),
  ])
  await ask('POST', `/api/v4/leads/notes/${notes._embedded.notes[0].id}/pin`)
  return lead
}
