"""Units and currencies: one row each, one column per language."""

# ruff: noqa: E501 - a row stays on one line, so that columns can be compared
from __future__ import annotations

from dataclasses import dataclass

from cosyvoice_wyoming.text.language import Language


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure and its name in every language.

    `symbols` are the ways to write it, case-sensitive, after NFKC (so `°C` for ℃, `μ` for µ).
    `en` is "singular|plural", or one form for both. `temperature` marks scales whose negative
    values are "below zero".
    """

    symbols: tuple[str, ...]
    zh: str
    yue: str
    ja: str
    ko: str
    en: str
    temperature: bool = False

    def name(self, language: Language, *, one: bool = False) -> str:
        """Return the name; `one` asks for the singular, where there is one."""
        singular, _, plural = str(getattr(self, language.value)).partition("|")
        return singular if one or not plural else plural


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency: signs before or after the amount, and its names.

    Names are "unit" or "unit|hundredth"; English ones "dollar/dollars|cent/cents". An empty
    hundredth is never said: the amount stays a decimal.
    """

    symbols: tuple[str, ...]
    zh: str
    yue: str
    ja: str
    ko: str
    en: str

    def names(self, language: Language) -> tuple[str, str]:
        """Return the name of the unit and that of its hundredth ("" if it is not said)."""
        unit, _, hundredth = str(getattr(self, language.value)).partition("|")
        return unit, hundredth


# fmt: off
UNITS: tuple[Unit, ...] = (
    # temperature
    Unit(("°C", "°c", "degC", "ºC"), "摄氏度", "度", "度", "도", "degree Celsius|degrees Celsius", temperature=True),
    Unit(("°F", "°f", "ºF"), "华氏度", "華氏度", "華氏度", "화씨 도", "degree Fahrenheit|degrees Fahrenheit", temperature=True),
    Unit(("°", "º", "˚"), "度", "度", "度", "도", "degree|degrees", temperature=True),
    # length, area, volume
    Unit(("km",), "千米", "公里", "キロメートル", "킬로미터", "kilometer|kilometers"),
    Unit(("m",), "米", "米", "メートル", "미터", "meter|meters"),
    Unit(("dm",), "分米", "分米", "デシメートル", "데시미터", "decimeter|decimeters"),
    Unit(("cm",), "厘米", "厘米", "センチメートル", "센티미터", "centimeter|centimeters"),
    Unit(("mm",), "毫米", "毫米", "ミリメートル", "밀리미터", "millimeter|millimeters"),
    Unit(("μm",), "微米", "微米", "マイクロメートル", "마이크로미터", "micrometer|micrometers"),
    Unit(("nm",), "纳米", "納米", "ナノメートル", "나노미터", "nanometer|nanometers"),
    Unit(("m²", "m2", "m^2"), "平方米", "平方米", "平方メートル", "제곱미터", "square meter|square meters"),
    Unit(("km²", "km2"), "平方千米", "平方公里", "平方キロメートル", "제곱킬로미터", "square kilometer|square kilometers"),
    Unit(("cm²", "cm2"), "平方厘米", "平方厘米", "平方センチメートル", "제곱센티미터", "square centimeter|square centimeters"),
    Unit(("m³", "m3", "m^3"), "立方米", "立方米", "立方メートル", "세제곱미터", "cubic meter|cubic meters"),
    Unit(("cm³", "cm3"), "立方厘米", "立方厘米", "立方センチメートル", "세제곱센티미터", "cubic centimeter|cubic centimeters"),
    Unit(("L", "ℓ", "l"), "升", "升", "リットル", "리터", "liter|liters"),
    Unit(("mL", "ml", "ML"), "毫升", "毫升", "ミリリットル", "밀리리터", "milliliter|milliliters"),
    # mass
    Unit(("kg", "Kg", "KG"), "千克", "公斤", "キログラム", "킬로그램", "kilogram|kilograms"),
    Unit(("g",), "克", "克", "グラム", "그램", "gram|grams"),
    Unit(("mg",), "毫克", "毫克", "ミリグラム", "밀리그램", "milligram|milligrams"),
    Unit(("μg", "ug"), "微克", "微克", "マイクログラム", "마이크로그램", "microgram|micrograms"),
    Unit(("lb", "lbs"), "磅", "磅", "ポンド", "파운드", "pound|pounds"),
    Unit(("oz",), "盎司", "安士", "オンス", "온스", "ounce|ounces"),
    # speed, flow
    Unit(("km/h", "km/hr", "kmh", "kph", "KM/H", "Km/h"), "千米每小时", "公里每小時", "キロメートル毎時", "킬로미터 매 시", "kilometer per hour|kilometers per hour"),
    Unit(("m/s",), "米每秒", "米每秒", "メートル毎秒", "미터 매 초", "meter per second|meters per second"),
    Unit(("km/s",), "千米每秒", "公里每秒", "キロメートル毎秒", "킬로미터 매 초", "kilometer per second|kilometers per second"),
    Unit(("mph",), "英里每小时", "英里每小時", "マイル毎時", "마일 매 시", "mile per hour|miles per hour"),
    Unit(("mm/h",), "毫米每小时", "毫米每小時", "ミリメートル毎時", "밀리미터 매 시", "millimeter per hour|millimeters per hour"),
    Unit(("m³/h", "m3/h"), "立方米每小时", "立方米每小時", "立方メートル毎時", "세제곱미터 매 시", "cubic meter per hour|cubic meters per hour"),
    Unit(("L/min", "l/min"), "升每分钟", "升每分鐘", "リットル毎分", "리터 매 분", "liter per minute|liters per minute"),
    Unit(("L/h", "l/h"), "升每小时", "升每小時", "リットル毎時", "리터 매 시", "liter per hour|liters per hour"),
    Unit(("rpm", "RPM"), "转每分钟", "轉每分鐘", "回転毎分", "알피엠", "revolution per minute|revolutions per minute"),
    Unit(("bpm", "BPM"), "次每分钟", "次每分鐘", "拍毎分", "비피엠", "beat per minute|beats per minute"),
    Unit(("fps", "FPS"), "帧每秒", "幀每秒", "フレーム毎秒", "프레임 매 초", "frame per second|frames per second"),
    # concentration
    Unit(("μg/m³", "ug/m3", "μg/m3", "ug/m³"), "微克每立方米", "微克每立方米", "マイクログラム毎立方メートル", "마이크로그램 매 세제곱미터", "microgram per cubic meter|micrograms per cubic meter"),
    Unit(("mg/m³", "mg/m3"), "毫克每立方米", "毫克每立方米", "ミリグラム毎立方メートル", "밀리그램 매 세제곱미터", "milligram per cubic meter|milligrams per cubic meter"),
    Unit(("g/m³", "g/m3"), "克每立方米", "克每立方米", "グラム毎立方メートル", "그램 매 세제곱미터", "gram per cubic meter|grams per cubic meter"),
    Unit(("mg/L", "mg/l"), "毫克每升", "毫克每升", "ミリグラム毎リットル", "밀리그램 매 리터", "milligram per liter|milligrams per liter"),
    Unit(("mmol/L", "mmol/l"), "毫摩尔每升", "毫摩爾每升", "ミリモル毎リットル", "밀리몰 매 리터", "millimole per liter|millimoles per liter"),
    Unit(("ppm", "PPM"), "PPM", "PPM", "ピーピーエム", "피피엠", "parts per million"),
    Unit(("ppb", "PPB"), "PPB", "PPB", "ピーピービー", "피피비", "parts per billion"),
    # electricity, energy
    Unit(("kWh", "kwh", "KWh", "KWH", "kW·h", "kW⋅h"), "千瓦时", "千瓦時", "キロワット時", "킬로와트시", "kilowatt hour|kilowatt hours"),
    Unit(("Wh",), "瓦时", "瓦時", "ワット時", "와트시", "watt hour|watt hours"),
    Unit(("MWh",), "兆瓦时", "兆瓦時", "メガワット時", "메가와트시", "megawatt hour|megawatt hours"),
    Unit(("GWh",), "吉瓦时", "吉瓦時", "ギガワット時", "기가와트시", "gigawatt hour|gigawatt hours"),
    Unit(("W",), "瓦", "瓦", "ワット", "와트", "watt|watts"),
    Unit(("mW",), "毫瓦", "毫瓦", "ミリワット", "밀리와트", "milliwatt|milliwatts"),
    Unit(("kW", "KW", "kw"), "千瓦", "千瓦", "キロワット", "킬로와트", "kilowatt|kilowatts"),
    Unit(("MW",), "兆瓦", "兆瓦", "メガワット", "메가와트", "megawatt|megawatts"),
    Unit(("GW",), "吉瓦", "吉瓦", "ギガワット", "기가와트", "gigawatt|gigawatts"),
    Unit(("W/m²", "W/m2"), "瓦每平方米", "瓦每平方米", "ワット毎平方メートル", "와트 매 제곱미터", "watt per square meter|watts per square meter"),
    Unit(("VA",), "伏安", "伏安", "ボルトアンペア", "볼트암페어", "volt ampere|volt amperes"),
    Unit(("V",), "伏", "伏", "ボルト", "볼트", "volt|volts"),
    Unit(("mV",), "毫伏", "毫伏", "ミリボルト", "밀리볼트", "millivolt|millivolts"),
    Unit(("kV",), "千伏", "千伏", "キロボルト", "킬로볼트", "kilovolt|kilovolts"),
    Unit(("A",), "安", "安培", "アンペア", "암페어", "ampere|amperes"),
    Unit(("mA",), "毫安", "毫安", "ミリアンペア", "밀리암페어", "milliampere|milliamperes"),
    Unit(("Ah",), "安时", "安時", "アンペア時", "암페어시", "ampere hour|ampere hours"),
    Unit(("mAh",), "毫安时", "毫安時", "ミリアンペア時", "밀리암페어시", "milliampere hour|milliampere hours"),
    Unit(("Ω", "ohm"), "欧姆", "歐姆", "オーム", "옴", "ohm|ohms"),
    Unit(("kΩ",), "千欧", "千歐", "キロオーム", "킬로옴", "kiloohm|kiloohms"),
    Unit(("J",), "焦耳", "焦耳", "ジュール", "줄", "joule|joules"),
    Unit(("kJ",), "千焦", "千焦", "キロジュール", "킬로줄", "kilojoule|kilojoules"),
    Unit(("cal",), "卡", "卡路里", "カロリー", "칼로리", "calorie|calories"),
    Unit(("kcal", "Kcal"), "千卡", "千卡", "キロカロリー", "킬로칼로리", "kilocalorie|kilocalories"),
    # frequency, pressure, light, sound
    Unit(("Hz", "hz", "HZ"), "赫兹", "赫茲", "ヘルツ", "헤르츠", "hertz"),
    Unit(("kHz", "KHz"), "千赫兹", "千赫茲", "キロヘルツ", "킬로헤르츠", "kilohertz"),
    Unit(("MHz", "Mhz"), "兆赫兹", "兆赫茲", "メガヘルツ", "메가헤르츠", "megahertz"),
    Unit(("GHz", "Ghz"), "吉赫兹", "吉赫茲", "ギガヘルツ", "기가헤르츠", "gigahertz"),
    Unit(("Pa",), "帕", "帕", "パスカル", "파스칼", "pascal|pascals"),
    Unit(("hPa", "hpa"), "百帕", "百帕斯卡", "ヘクトパスカル", "헥토파스칼", "hectopascal|hectopascals"),
    Unit(("kPa",), "千帕", "千帕", "キロパスカル", "킬로파스칼", "kilopascal|kilopascals"),
    Unit(("MPa",), "兆帕", "兆帕", "メガパスカル", "메가파스칼", "megapascal|megapascals"),
    Unit(("bar",), "巴", "巴", "バール", "바", "bar|bars"),
    Unit(("mbar",), "毫巴", "毫巴", "ミリバール", "밀리바", "millibar|millibars"),
    Unit(("psi",), "磅每平方英寸", "磅每平方吋", "ピーエスアイ", "피에스아이", "pounds per square inch"),
    Unit(("mmHg",), "毫米汞柱", "毫米汞柱", "水銀柱ミリメートル", "수은주 밀리미터", "millimeter of mercury|millimeters of mercury"),
    Unit(("lx", "lux", "Lux"), "勒克斯", "勒克斯", "ルクス", "럭스", "lux"),
    Unit(("lm",), "流明", "流明", "ルーメン", "루멘", "lumen|lumens"),
    Unit(("dB", "db", "DB"), "分贝", "分貝", "デシベル", "데시벨", "decibel|decibels"),
    Unit(("dBA", "dB(A)"), "分贝", "分貝", "デシベル", "데시벨", "decibel|decibels"),
    Unit(("dBm",), "分贝毫瓦", "分貝毫瓦", "デシベルミリワット", "데시벨 밀리와트", "decibel milliwatt|decibel milliwatts"),
    Unit(("K",), "开尔文", "開爾文", "ケルビン", "켈빈", "kelvin|kelvins"),
    # data
    Unit(("B",), "字节", "字節", "バイト", "바이트", "byte|bytes"),
    Unit(("kB", "KB", "KiB"), "千字节", "千字節", "キロバイト", "킬로바이트", "kilobyte|kilobytes"),
    Unit(("MB", "MiB"), "兆字节", "兆字節", "メガバイト", "메가바이트", "megabyte|megabytes"),
    Unit(("GB", "GiB"), "吉字节", "千兆字節", "ギガバイト", "기가바이트", "gigabyte|gigabytes"),
    Unit(("TB", "TiB"), "太字节", "太字節", "テラバイト", "테라바이트", "terabyte|terabytes"),
    Unit(("MB/s", "MiB/s"), "兆字节每秒", "兆字節每秒", "メガバイト毎秒", "메가바이트 매 초", "megabyte per second|megabytes per second"),
    Unit(("GB/s", "GiB/s"), "吉字节每秒", "千兆字節每秒", "ギガバイト毎秒", "기가바이트 매 초", "gigabyte per second|gigabytes per second"),
    Unit(("kB/s", "KB/s", "KiB/s"), "千字节每秒", "千字節每秒", "キロバイト毎秒", "킬로바이트 매 초", "kilobyte per second|kilobytes per second"),
    Unit(("kbps", "Kbps", "kb/s", "kbit/s"), "千比特每秒", "千比特每秒", "キロビット毎秒", "킬로비트 매 초", "kilobit per second|kilobits per second"),
    Unit(("Mbps", "Mb/s", "mbps", "Mbit/s"), "兆比特每秒", "兆比特每秒", "メガビット毎秒", "메가비트 매 초", "megabit per second|megabits per second"),
    Unit(("Gbps", "Gb/s", "Gbit/s"), "吉比特每秒", "千兆比特每秒", "ギガビット毎秒", "기가비트 매 초", "gigabit per second|gigabits per second"),
    # time
    Unit(("h", "hr", "hrs"), "小时", "小時", "時間", "시간", "hour|hours"),
    Unit(("min", "mins"), "分钟", "分鐘", "分", "분", "minute|minutes"),
    Unit(("s", "sec", "secs"), "秒", "秒", "秒", "초", "second|seconds"),
    Unit(("ms",), "毫秒", "毫秒", "ミリ秒", "밀리초", "millisecond|milliseconds"),
    Unit(("μs",), "微秒", "微秒", "マイクロ秒", "마이크로초", "microsecond|microseconds"),
    Unit(("d",), "天", "日", "日", "일", "day|days"),
    # length and volume of the imperial system
    Unit(("ft", "′"), "英尺", "呎", "フィート", "피트", "foot|feet"),
    Unit(("inch", "inches", "″"), "英寸", "吋", "インチ", "인치", "inch|inches"),
    Unit(("mi", "miles"), "英里", "英里", "マイル", "마일", "mile|miles"),
    Unit(("gal",), "加仑", "加侖", "ガロン", "갤런", "gallon|gallons"),
)

CURRENCIES: tuple[Currency, ...] = (
    Currency(("HK$", "HKD"), "港元", "港元", "香港ドル", "홍콩 달러", "Hong Kong dollar/Hong Kong dollars|cent/cents"),
    Currency(("NT$", "TWD", "NTD"), "新台币", "新台幣", "台湾ドル", "대만 달러", "New Taiwan dollar/New Taiwan dollars|"),
    Currency(("US$", "USD"), "美元", "美元", "ドル", "달러", "dollar/dollars|cent/cents"),
    Currency(("$",), "美元", "元", "ドル", "달러", "dollar/dollars|cent/cents"),
    Currency(("A$", "AU$", "AUD"), "澳元", "澳元", "オーストラリアドル", "호주 달러", "Australian dollar/Australian dollars|cent/cents"),
    Currency(("C$", "CA$", "CAD"), "加元", "加元", "カナダドル", "캐나다 달러", "Canadian dollar/Canadian dollars|cent/cents"),
    Currency(("S$", "SGD"), "新加坡元", "坡元", "シンガポールドル", "싱가포르 달러", "Singapore dollar/Singapore dollars|cent/cents"),
    Currency(("CN¥", "RMB¥", "RMB", "CNY"), "元", "人民幣", "人民元", "위안", "yuan/yuan|"),
    Currency(("JP¥", "JPY"), "日元", "日圓", "円", "엔", "yen/yen|"),
    Currency(("¥",), "元", "元", "円", "엔", "yuan/yuan|"),
    Currency(("€", "EUR"), "欧元", "歐元", "ユーロ", "유로", "euro/euros|cent/cents"),
    Currency(("£", "GBP"), "英镑", "英鎊", "ポンド", "파운드", "pound/pounds|penny/pence"),
    Currency(("₩", "KRW"), "韩元", "韓圜", "ウォン", "원", "won/won|"),
    Currency(("₽", "RUB"), "卢布", "盧布", "ルーブル", "루블", "ruble/rubles|"),
    Currency(("₹", "INR"), "卢比", "盧比", "ルピー", "루피", "rupee/rupees|"),
    Currency(("฿", "THB"), "泰铢", "泰銖", "バーツ", "바트", "baht/baht|"),
    Currency(("₫", "VND"), "越南盾", "越南盾", "ドン", "동", "dong/dong|"),
    Currency(("₺", "TRY"), "里拉", "里拉", "リラ", "리라", "lira/lira|"),
    Currency(("₿", "BTC"), "比特币", "比特幣", "ビットコイン", "비트코인", "bitcoin/bitcoins|"),
    Currency(("CHF",), "瑞士法郎", "瑞士法郎", "スイスフラン", "스위스 프랑", "Swiss franc/Swiss francs|"),
)
# fmt: on
