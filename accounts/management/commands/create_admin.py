from accounts.management.person import PersonCommand


class Command(PersonCommand):
    help = "Add an admin of the dashboard who is also a maintainer of the admin site."
    requires_system_checks = ()  # they take longer than the command
    password_variable = "IDS_ADMIN_PASSWORD"
    always_admin = True
